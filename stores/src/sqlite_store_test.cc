// What is SQLite's own: the file, the lock, a full disk, a killed process, and the plans of loads.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "sqlite_db.h"
#include "sqlite_loads.h"
#include "test_store_harness.h"

namespace escapement::stores::testing {
namespace {

using ::testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kPendingRuns = 50'000;
#else
constexpr int kPendingRuns = 1'000'000;
#endif

Error error_of(const SqliteOptions& options) {
  Answers answers;
  auto opened = open_sqlite(options, answers.sink());
  if (opened.ok()) return {ErrorCode::not_found, "opened after all", {}};
  return opened.error();
}

std::string database_of(const std::string& folder) { return folder + "/escapement.db"; }

void overwrite(const std::string& path, std::streamoff from, const std::string& bytes) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(from);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good());
}

// ---- the folder
// -----------------------------------------------------------------------------------

TEST(SqliteStore, MissingFolderIsMadeForItsOwnerAlone) {
  TemporaryFolder parent;
  std::string folder = parent.path() + "/data";
  Answers answers;
  auto opened = open_sqlite({.folder = folder}, answers.sink());
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  EXPECT_TRUE(std::filesystem::exists(database_of(folder)));
}

TEST(SqliteStore, SecondServerIsRefusedWithThePidOfTheFirst) {
  SqliteHarness first;
  first.restart();
  Error error = error_of({.folder = first.folder()});
  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_THAT(error.message, HasSubstr(first.folder()));
  EXPECT_THAT(error.message, HasSubstr("process " + std::to_string(::getpid())));
  first.close();
  Answers answers;
  EXPECT_TRUE(open_sqlite({.folder = first.folder()}, answers.sink()).ok());
}

TEST(SqliteStore, FolderThatCannotBeIsRefusedByName) {
  TemporaryFolder parent;
  std::string file = parent.path() + "/file";
  std::ofstream(file) << "text";
  for (const std::string& folder : {file, file + "/below", parent.path() + "/no/parent"}) {
    Error error = error_of({.folder = folder});
    EXPECT_EQ(error.code, ErrorCode::invalid);
    EXPECT_EQ(error.field, "folder");
    EXPECT_THAT(error.message, HasSubstr(folder));
  }
}

// Even root may not create a file in /proc.
TEST(SqliteStore, FolderThatCannotBeWrittenIsRefused) {
  Error error = error_of({.folder = "/proc/self"});
  EXPECT_THAT(error.message, HasSubstr("/proc/self: cannot be written"));
}

// ---- the file
// -------------------------------------------------------------------------------------

TEST(SqliteStore, FileThatIsNoDatabaseIsRefused) {
  TemporaryFolder folder;
  std::ofstream(database_of(folder.path())) << std::string(8192, 'x');
  Error error = error_of({.folder = folder.path()});
  EXPECT_EQ(error.code, ErrorCode::invalid);
  EXPECT_THAT(error.message, HasSubstr("restore a backup"));
}

TEST(SqliteStore, DamagedPagesAreRefused) {
  SqliteHarness harness;
  harness.restart();
  harness.close();
  overwrite(database_of(harness.folder()), 100, std::string(3900, '\x5a'));
  Error error = error_of({.folder = harness.folder()});
  EXPECT_EQ(error.code, ErrorCode::invalid) << error.message;
  EXPECT_THAT(error.message, HasSubstr("damaged"));
}

TEST(SqliteStore, RowThatMakesNoSenseIsReportedNotInvented) {
  SqliteHarness harness;
  harness.restart();
  ASSERT_TRUE(harness.write({InsertRun{make_timer(1, "a", at(1))}}).ok());
  harness.close();
  {
    auto db = Database::open(database_of(harness.folder()));
    ASSERT_TRUE(db->exec("UPDATE runs SET timer = '{\"target\":{}}'").ok());
  }
  harness.restart();
  auto answer = harness.ask(LoadDue{.until = kNever, .limit = 1});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::unavailable);
  EXPECT_THAT(answer.error().message, HasSubstr("timer 1 cannot be read"));
}

TEST(SqliteStore, NewerVersionIsRefusedUntouched) {
  SqliteHarness harness;
  harness.restart();
  harness.close();
  auto db = Database::open(database_of(harness.folder()));
  ASSERT_TRUE(db->exec("PRAGMA user_version = 1000").ok());
  Error error = error_of({.folder = harness.folder()});
  EXPECT_EQ(error.code, ErrorCode::conflict);
  EXPECT_THAT(error.message, HasSubstr("version 1000"));
  EXPECT_EQ(*db->number("SELECT term FROM meta"), 1);
}

TEST(SqliteStore, TermThatMovedUnderneathFencesTheWriter) {
  SqliteHarness harness;
  harness.restart();
  auto db = Database::open(database_of(harness.folder()));
  ASSERT_TRUE(db->exec("UPDATE meta SET term = 2").ok());
  Result<Written> written = harness.write({InsertRun{make_timer(1, "a", at(1))}});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::fenced);
}

TEST(SqliteStore, TerminalStateIsFinalInTheFileToo) {
  SqliteHarness harness;
  harness.restart();
  auto run = make_timer(1, "a", at(1));
  ASSERT_TRUE(harness.write({InsertRun{run}, finish(run, RunState::failed, at(2))}).ok());
  auto db = Database::open(database_of(harness.folder()));
  Status revived = db->exec("UPDATE runs SET state = 'planned', finished_at = NULL");
  ASSERT_FALSE(revived.ok());
  EXPECT_THAT(revived.error().message, HasSubstr("a terminal state is final"));
  EXPECT_FALSE(db->exec("UPDATE runs SET state = 'succeeded'").ok());
  EXPECT_FALSE(db->exec("UPDATE runs SET state = 'running'").ok());
}

TEST(SqliteStore, DestructorAnswersWhatWasSubmitted) {
  SqliteHarness harness;
  harness.restart();
  for (int i = 1; i <= 100; ++i) {
    harness.submit(Write{harness.term, {InsertRun{make_timer(i, std::to_string(i), at(i))}}});
  }
  harness.close();
  EXPECT_EQ(harness.answers.take(100).size(), 100u);
  EXPECT_EQ(harness.restart().timers.produced, 100);
}

// ---- a full disk
// ------------------------------------------------------------------------------------

// Fills the store with timers until a write is refused; answers the id of that one.
std::int64_t fill(SqliteHarness& harness, std::int64_t id) {
  for (;; ++id) {
    Run run = make_timer(id, std::to_string(id), at(id));
    run.reason = std::string(20'000, 'x');
    Result<Written> written = harness.write({InsertRun{run}});
    if (written.ok()) continue;
    EXPECT_EQ(written.error().code, ErrorCode::full) << written.error().message;
    return id;
  }
}

TEST(SqliteStore, FullDiskChangesNothingAndEndsWhenThereIsSpace) {
  SqliteHarness harness({.max_page_count = 200});
  harness.restart();
  std::int64_t refused = fill(harness, 1);
  ASSERT_GT(refused, 5);
  EXPECT_TRUE(harness.get<RunPage>(FindRun{RunId{refused}}).runs.empty());
  auto report = harness.get<AuditReport>(AuditCounters{});
  EXPECT_EQ(report.live_rows, refused - 1);
  EXPECT_EQ(report.counters.live(), refused - 1);
  std::vector<Mutation> end;
  for (std::int64_t id = 1; id <= 3; ++id) {
    end.push_back(finish(make_timer(id, std::to_string(id), at(id)), RunState::cancelled, at(1)));
  }
  end.push_back(Prune{at(2), 10});
  ASSERT_TRUE(harness.write(end).ok());
  EXPECT_TRUE(harness.write({InsertRun{make_timer(refused, "again", at(1))}}).ok());
}

TEST(SqliteStore, WritesThatShareAFullCommitAllSaySoAndLoadsSeeNoneOfThem) {
  SqliteHarness harness({.max_page_count = 200});
  harness.restart();
  auto huge = make_timer(2, "huge", at(2));
  huge.reason = std::string(4'000'000, 'x');
  harness.submit(Write{harness.term, {InsertRun{huge}}});
  harness.submit(FindRun{huge.id});
  auto answers = harness.answers.take(2);
  ASSERT_FALSE(answers[0].result.ok());
  EXPECT_EQ(answers[0].result.error().code, ErrorCode::full);
  EXPECT_TRUE(std::get<RunPage>(*answers[1].result).runs.empty());
  EXPECT_FALSE(harness.get<Outcome>(FindOutcome{answers[0].ticket}).committed);
}

// ---- a killed process
// -------------------------------------------------------------------------------

// Inserts timers as fast as it can and writes a byte to the pipe for each that was acknowledged.
[[noreturn]] void insert_until_killed(const std::string& folder, int pipe) {
  StoreSink sink = [pipe](const std::vector<StoreAnswer>& answers) {
    for (const StoreAnswer& answer : answers) {
      char byte = answer.result.ok() ? 'y' : 'n';
      if (::write(pipe, &byte, 1) != 1) ::_exit(2);
    }
  };
  auto opened = open_sqlite({.folder = folder}, sink);
  if (!opened.ok()) ::_exit(3);
  for (std::int64_t id = 1;; ++id) {
    opened->store->submit(static_cast<Ticket>(id),
                          Write{1, {InsertRun{make_timer(id, std::to_string(id), at(id))}}});
  }
}

// How many answers came before the process was killed, in the middle of its work.
std::int64_t acknowledged_before_kill(const std::string& folder, std::int64_t kill_after) {
  int pipe[2];
  EXPECT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
  pid_t child = ::fork();
  if (child == 0) insert_until_killed(folder, pipe[1]);
  ::close(pipe[1]);
  std::int64_t acknowledged = 0;
  for (char byte = 0; ::read(pipe[0], &byte, 1) == 1; ++acknowledged) {
    EXPECT_EQ(byte, 'y');
    if (acknowledged == kill_after) ::kill(child, SIGKILL);
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  return acknowledged;
}

TEST(SqliteStore, NothingAcknowledgedIsLostWhenTheProcessIsKilled) {
  for (std::int64_t kill_after : {1, 100, 700}) {
    SqliteHarness harness;
    std::int64_t acknowledged = acknowledged_before_kill(harness.folder(), kill_after);
    ASSERT_GT(acknowledged, kill_after);
    Recovered recovered = harness.restart();
    EXPECT_EQ(recovered.previous_term, 1);
    EXPECT_EQ(recovered.term, 2);
    EXPECT_GE(recovered.timers.produced, acknowledged);
    auto report = harness.get<AuditReport>(AuditCounters{});
    EXPECT_EQ(report.live_rows, report.counters.live());
    auto last = harness.get<RunPage>(FindRun{RunId{acknowledged}});
    EXPECT_EQ(last.runs.size(), 1u);
  }
}

// ---- many pending runs
// ------------------------------------------------------------------------------

std::string plan_of(Database& db, const std::string& sql) {
  Statement plan(db, "EXPLAIN QUERY PLAN " + sql);
  std::string text;
  while (plan.step() == Step::row) text += plan.text(3) + "\n";
  return text;
}

void insert_pending(const std::string& folder, int count) {
  auto db = Database::open(database_of(folder));
  std::string sql =
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " +
      std::to_string(count) +
      ") INSERT INTO runs SELECT i, 0, 'timer', 'shop', '', 'key' || i, 1, i * 1000, i * 1000, 0, "
      "1, 'planned', 1, 0, 0, NULL, '', '', NULL, '" +
      dump_json(to_json(*make_timer_spec())) +
      "' FROM n; UPDATE meta SET timers_produced = " + std::to_string(count);
  ASSERT_TRUE(db->exec(sql.c_str()).ok()) << db->error().message;
}

TEST(SqliteStore, WindowOfManyPendingRunsIsLoadedWithoutTouchingTheRest) {
  SqliteHarness harness;
  harness.restart();
  harness.close();
  insert_pending(harness.folder(), kPendingRuns);
  harness.restart();
  // 30 s hold 30 000 runs, one each millisecond.
  LoadDue load{.from = at(10), .until = at(40), .limit = 2'000};
  std::int64_t loaded = 0;
  for (bool more = true; more;) {
    auto page = harness.get<RunPage>(load);
    loaded += static_cast<std::int64_t>(page.runs.size());
    more = page.more;
    load.cursor_at = page.runs.back().next_attempt_at;
    load.cursor_id = page.runs.back().id;
  }
  EXPECT_EQ(loaded, 30'001);
  EXPECT_EQ(harness.get<AuditReport>(AuditCounters{}).live_rows, kPendingRuns);
}

TEST(SqliteStore, LoadsByIndexWithoutSorting) {
  SqliteHarness harness;
  harness.restart();
  auto db = Database::open(database_of(harness.folder()));
  std::string same = plan_of(*db, load_same_instant_sql());
  std::string later = plan_of(*db, load_later_sql());
  EXPECT_EQ(same, "SEARCH runs USING INDEX runs_live (next_attempt_at=? AND rowid>?)\n");
  EXPECT_EQ(later, "SEARCH runs USING INDEX runs_live (next_attempt_at>? AND next_attempt_at<?)\n");
}

}  // namespace
}  // namespace escapement::stores::testing
