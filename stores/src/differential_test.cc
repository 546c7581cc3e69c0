// Random conversations held with two stores at once: every answer and everything visible must be
// the same. A failing seed is the bug report: it is printed, and `kFirstSeed` replays it.

#include <random>

#include "test_store_harness.h"

namespace escapement::stores::testing {
namespace {

constexpr std::uint64_t kFirstSeed = 20'261'121;
constexpr int kSequences = 300;
constexpr int kRequestsPerSequence = 40;
constexpr int kRestartEvery = 16;  // requests, on average

// Few values of everything, so that conflicts, moves and prunes all happen.
class RandomRequests {
 public:
  explicit RandomRequests(std::uint64_t seed) : random_(seed) {}

  bool restarts() { return below(kRestartEvery) == 0; }

  StoreRequest next(Term term) {
    switch (below(10)) {
      case 0:
        return LoadDue{instant(), instant(), instant(), RunId{below(12)}, size(5)};
      case 1:
        return FindTimers{app(), {key(), key(), key()}};
      case 2:
        return FindRun{run_id()};
      case 3:
        return list();
      case 4:
        return GetRun{run_id()};
      default:
        return write(below(20) == 0 ? term - 1 : term);
    }
  }

 private:
  using Make = Mutation (RandomRequests::*)();

  std::int64_t below(std::int64_t end) {
    return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_);
  }
  std::size_t size(std::int64_t end) { return static_cast<std::size_t>(below(end)); }
  bool coin() { return below(2) == 0; }
  Instant instant() { return below(12) == 0 ? kNever : at(below(20)); }
  std::string app() { return coin() ? "shop" : "bank"; }
  std::string key() { return std::string(1, static_cast<char>('a' + below(4))); }
  RunId run_id() { return RunId{1 + below(12)}; }
  JobId job_id() { return JobId{1 + below(3)}; }
  std::int64_t revision() { return 1 + below(3); }

  Job job() {
    Job one = make_job(1 + below(3), coin() ? "daily" : key());
    one.revision = revision();
    one.next_due = instant();
    return one;
  }

  Run run() {
    Job owner = make_job(1 + below(3), "daily");
    Run one = make_timer(run_id().value, key(), instant());
    if (below(3) == 0) one = make_occurrence(run_id().value, owner, at(below(20)));
    if (below(4) == 0) one = make_trigger(run_id().value, owner, coin() ? key() : "");
    one.app = app();
    one.elapsed_term = below(3);
    one.next_attempt_at = instant();
    return one;
  }

  Mutation put_job() { return PutJob{job(), below(3)}; }
  Mutation remove_job() { return RemoveJob{job_id(), revision()}; }
  Mutation advance_job() { return AdvanceJob{job_id(), revision(), instant(), instant()}; }
  Mutation insert_run() { return InsertRun{run()}; }
  Mutation update_run() {
    UpdateRun update{.after = run(), .expected_revision = revision()};
    update.after.revision = update.expected_revision + (below(20) == 0 ? 2 : 1);
    update.after.attempt = 1 + below(3);
    if (coin()) {
      update.after.state = static_cast<RunState>(4 + below(4));
      update.after.finished_at = at(below(20));
    }
    if (coin()) update.attempt = Attempt{.number = 1 + below(3), .status = below(600)};
    update.replace_spec = below(4) == 0;
    return update;
  }
  Mutation release_key() { return ReleaseKey{run_id()}; }
  Mutation drop_planned() { return DropPlanned{job_id(), instant()}; }
  Mutation cancel_planned() {
    return CancelPlanned{JobId{below(4)}, {run_id(), run_id()}, instant(), "job deleted"};
  }
  Mutation add_miss() {
    return AddMiss{JobId{below(4)}, {instant(), instant(), below(9), "catch_up"}};
  }
  Mutation set_armed() { return SetArmed{{instant(), instant(), instant(), instant()}}; }
  Mutation shift_elapsed() {
    return ShiftElapsed{below(3), Duration{below(2'000'001) - 1'000'000}};
  }
  Mutation prune() { return Prune{instant(), below(4)}; }

  StoreRequest write(Term term) {
    static constexpr Make kMake[] = {
        &RandomRequests::put_job,        &RandomRequests::put_job,
        &RandomRequests::remove_job,     &RandomRequests::advance_job,
        &RandomRequests::insert_run,     &RandomRequests::insert_run,
        &RandomRequests::insert_run,     &RandomRequests::insert_run,
        &RandomRequests::update_run,     &RandomRequests::update_run,
        &RandomRequests::update_run,     &RandomRequests::update_run,
        &RandomRequests::release_key,    &RandomRequests::drop_planned,
        &RandomRequests::cancel_planned, &RandomRequests::add_miss,
        &RandomRequests::set_armed,      &RandomRequests::shift_elapsed,
        &RandomRequests::prune};
    Write one{.term = term};
    for (auto left = 1 + below(3); left > 0; --left) {
      one.mutations.push_back((this->*kMake[size(std::size(kMake))])());
    }
    return one;
  }

  StoreRequest list() {
    ListRuns one{.limit = size(6)};
    if (coin()) one.app = app();
    if (below(3) == 0) one.key = key();
    if (below(4) == 0) one.job = "daily";
    if (below(4) == 0) one.state = static_cast<RunState>(4 * below(2));
    if (below(4) == 0) one.origin = static_cast<RunOrigin>(below(3));
    if (below(4) == 0) one.due_from = instant();
    if (below(4) == 0) one.due_to = instant();
    if (below(3) == 0) one.before = run_id();
    return one;
  }

  std::mt19937_64 random_;
};

struct Tally {
  int accepted = 0;
  int refused = 0;
};

// The first difference; empty when there is none.
std::string converse(std::uint64_t seed, Tally& tally) {
  MemoryHarness memory;
  SqliteHarness sqlite({.in_memory = true});
  memory.restart();
  sqlite.restart();
  RandomRequests requests(seed);
  for (int i = 0; i < kRequestsPerSequence; ++i) {
    if (requests.restarts() && text_of(memory.restart()) != text_of(sqlite.restart())) {
      return "restart before request " + std::to_string(i);
    }
    StoreRequest request = requests.next(memory.term);
    Result<StoreValue> expected = memory.ask(request);
    std::string given = text_of(sqlite.ask(request));
    if (given != text_of(expected)) {
      return "request " + std::to_string(i) + " of kind " + std::to_string(request.index()) +
             "\n--- memory\n" + text_of(expected) + "\n--- sqlite\n" + given;
    }
    if (request.index() == 0) ++(expected.ok() ? tally.accepted : tally.refused);
  }
  std::string expected = visible_state(memory);
  std::string given = visible_state(sqlite);
  return given == expected ? "" : "state\n--- memory\n" + expected + "\n--- sqlite\n" + given;
}

TEST(Differential, MemoryAndSqliteAgreeOnRandomConversations) {
  Tally tally;
  for (int i = 0; i < kSequences; ++i) {
    std::uint64_t seed = kFirstSeed + static_cast<std::uint64_t>(i);
    std::string difference = converse(seed, tally);
    ASSERT_EQ(difference, "") << "seed " << seed;
  }
  RecordProperty("accepted_writes", tally.accepted);
  RecordProperty("refused_writes", tally.refused);
  EXPECT_GT(tally.accepted, kSequences) << "the conversations must say something";
  EXPECT_GT(tally.refused, kSequences);
}

}  // namespace
}  // namespace escapement::stores::testing
