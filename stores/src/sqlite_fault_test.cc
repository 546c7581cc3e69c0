// Faults of the disk, put in at the system calls: this program defines fdatasync and pwrite64
// itself, so that SQLite's calls arrive here first and can be counted or made to fail.

#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "sqlite_db.h"
#include "test_store_harness.h"

namespace {

std::atomic<int> syncs{0};
std::atomic<bool> sync_fails{false};
std::atomic<bool> disk_is_full{false};

}  // namespace

extern "C" int fdatasync(int file) {
  ++syncs;
  if (sync_fails) {
    errno = EIO;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fdatasync, file));
}

extern "C" ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  if (disk_is_full) {
    errno = ENOSPC;
    return -1;
  }
  return ::syscall(SYS_pwrite64, file, bytes, size, offset);
}

namespace escapement::stores::testing {
namespace {

class SqliteFaults : public ::testing::Test {
 protected:
  SqliteFaults() { harness_.restart(); }
  ~SqliteFaults() override { disk_is_full = false; }

  Result<Written> insert(std::int64_t id) {
    return harness_.write({InsertRun{make_timer(id, std::to_string(id), at(id))}});
  }

  SqliteHarness harness_;
};

TEST_F(SqliteFaults, EveryAnswerFollowsAnFsync) {
  for (std::int64_t id = 1; id <= 10; ++id) {
    int before = syncs;
    ASSERT_TRUE(insert(id).ok());
    EXPECT_GT(syncs, before);
  }
}

TEST_F(SqliteFaults, LoadsWaitForNoFsync) {
  int before = syncs;
  harness_.get<RunPage>(LoadDue{.until = kNever, .limit = 1});
  harness_.get<Outcome>(FindOutcome{1});
  EXPECT_EQ(syncs, before);
}

TEST_F(SqliteFaults, WritesThatWaitTogetherShareACommit) {
  constexpr int kWrites = 1'000;
  int before = syncs;
  for (int i = 1; i <= kWrites; ++i) {
    harness_.submit(Write{harness_.term, {InsertRun{make_timer(i, std::to_string(i), at(i))}}});
  }
  EXPECT_EQ(harness_.answers.take(kWrites).size(), std::size_t{kWrites});
  EXPECT_LT(syncs - before, kWrites / 2);
}

TEST_F(SqliteFaults, FullDiskAtCommitIsDefiniteAndHealsWithSpace) {
  ASSERT_TRUE(insert(1).ok());
  disk_is_full = true;
  for (int round = 0; round < 3; ++round) {
    Result<Written> written = insert(2);
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(written.error().code, ErrorCode::full) << written.error().message;
    EXPECT_EQ(harness_.get<RunPage>(LoadDue{.until = kNever, .limit = 9}).runs.size(), 1u);
  }
  disk_is_full = false;
  EXPECT_TRUE(insert(2).ok());
  EXPECT_EQ(harness_.restart().timers.produced, 2);
}

TEST(SqliteFaultsDeathTest, FailedFsyncEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        SqliteHarness harness;
        harness.restart();
        sync_fails = true;
        (void)harness.write({InsertRun{make_timer(1, "a", at(1))}}).ok();
      },
      ::testing::ExitedWithCode(kFailedSyncExitCode), "fsync of the store failed");
}

}  // namespace
}  // namespace escapement::stores::testing
