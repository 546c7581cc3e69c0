// What every store must do alike, one behaviour a test, run on each store of kStores.

#include <gmock/gmock.h>

#include "test_store_harness.h"

namespace escapement::stores::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct StoreKind {
  const char* name;
  std::function<std::unique_ptr<StoreHarness>()> make;
};

const StoreKind kStores[] = {
    {"memory", [] { return std::make_unique<MemoryHarness>(); }},
    {"sqlite", [] { return std::make_unique<SqliteHarness>(); }},
};

class Conformance : public ::testing::TestWithParam<StoreKind> {
 protected:
  using Run = domain::Run;  // not the private member of ::testing::Test

  Conformance() : harness_(GetParam().make()) { harness_->restart(); }

  void TearDown() override { expect_conservation(); }

  void expect_conservation() {
    auto report = harness_->get<AuditReport>(AuditCounters{});
    EXPECT_EQ(report.live_rows, report.counters.live());
  }
  Counters counters() { return harness_->get<AuditReport>(AuditCounters{}).counters; }

  void ok(std::vector<Mutation> mutations) {
    Result<Written> written = harness_->write(std::move(mutations));
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
  }
  std::vector<std::int64_t> affected(std::vector<Mutation> mutations) {
    Result<Written> written = harness_->write(std::move(mutations));
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message);
    return written.ok() ? written->affected : std::vector<std::int64_t>{};
  }
  void refused(ErrorCode code, std::vector<Mutation> mutations) {
    std::string before = contents();
    Result<Written> written = harness_->write(std::move(mutations));
    ASSERT_FALSE(written.ok());
    EXPECT_EQ(to_string(written.error().code), to_string(code)) << written.error().message;
    EXPECT_EQ(contents(), before) << "a refused write left something behind";
  }
  void conflict(std::vector<Mutation> mutations) {
    refused(ErrorCode::conflict, std::move(mutations));
  }

  std::string contents() {
    return text_of(harness_->ask(ListRuns{.limit = 10'000})) +
           text_of(harness_->ask(AuditCounters{}));
  }
  Run find(std::int64_t id) {
    auto page = harness_->get<RunPage>(FindRun{RunId{id}});
    return page.runs.empty() ? Run{} : page.runs.front();
  }
  std::vector<std::int64_t> ids(StoreRequest request) {
    std::vector<std::int64_t> all;
    for (const Run& run : harness_->get<RunPage>(std::move(request)).runs) {
      all.push_back(run.id.value);
    }
    return all;
  }
  std::vector<std::int64_t> holders(std::vector<std::string> keys) {
    return ids(FindTimers{"shop", std::move(keys)});
  }

  std::unique_ptr<StoreHarness> harness_;
  const Job job_ = make_job(7, "daily");
};

INSTANTIATE_TEST_SUITE_P(Stores, Conformance, ::testing::ValuesIn(kStores),
                         [](const auto& store) { return store.param.name; });

// ---- starts and terms
// -----------------------------------------------------------------------------

TEST_P(Conformance, EveryStartBumpsTheTermAndKeepsTheName) {
  Recovered second = harness_->restart();
  Recovered third = harness_->restart();
  EXPECT_EQ(second.term, 2);
  EXPECT_EQ(third.term, 3);
  EXPECT_EQ(third.previous_term, 2);
  EXPECT_EQ(third.store_name, second.store_name);
  EXPECT_EQ(third.store_name.size(), 10u);
}

TEST_P(Conformance, WriteOfAnotherTermIsFenced) {
  harness_->restart();
  for (Term term : {1, 3}) {
    auto result = harness_->ask(Write{term, {InsertRun{make_timer(1, "a", at(10))}}});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().code, ErrorCode::fenced);
  }
  EXPECT_THAT(ids(ListRuns{}), IsEmpty());
}

TEST_P(Conformance, EverythingIsThereAfterARestart) {
  Armed armed{at(1), at(2), at(3), at(4)};
  Run trigger = make_trigger(11, job_, "once");
  ok({PutJob{job_}, InsertRun{trigger}, InsertRun{make_timer(12, "a", at(10))}, SetArmed{armed}});
  std::string before = contents();
  Recovered recovered = harness_->restart();
  EXPECT_EQ(contents(), before);
  EXPECT_EQ(recovered.armed, armed);
  ASSERT_EQ(recovered.jobs.size(), 1u);
  Job expected = job_;
  expected.counters.produced = 1;
  EXPECT_EQ(text_of(recovered.jobs.front()), text_of(expected));
  EXPECT_EQ(text_of(find(11)), text_of(trigger));
  EXPECT_EQ(recovered.timers, Counters{.produced = 1});
}

// ---- jobs
// -----------------------------------------------------------------------------------------

TEST_P(Conformance, JobIsCreatedOnceByNameAndById) {
  ok({PutJob{job_}});
  conflict({PutJob{make_job(8, "daily")}});
  conflict({PutJob{make_job(7, "other")}});
  ok({PutJob{make_job(8, "other")}});
}

TEST_P(Conformance, JobIsReplacedOnlyAtItsRevisionAndKeepsItsCounters) {
  ok({PutJob{job_}, InsertRun{make_occurrence(1, job_, at(10))}});
  Job edited = job_;
  edited.revision = 2;
  edited.next_due = at(2000);
  edited.counters.produced = 99;
  conflict({PutJob{edited, 2}});
  ok({PutJob{edited, 1}});
  conflict({PutJob{edited, 1}});
  Recovered recovered = harness_->restart();
  EXPECT_EQ(recovered.jobs.front().next_due, at(2000));
  EXPECT_EQ(recovered.jobs.front().counters, Counters{.produced = 1});
}

TEST_P(Conformance, ReplacedJobCannotChangeItsName) {
  ok({PutJob{job_}});
  Job renamed = make_job(7, "weekly");
  conflict({PutJob{renamed, 1}});
}

TEST_P(Conformance, JobWithoutIdOrSpecIsInvalid) {
  refused(ErrorCode::invalid, {PutJob{make_job(0, "zero")}});
  Job bare = job_;
  bare.spec = nullptr;
  refused(ErrorCode::invalid, {PutJob{bare}});
}

TEST_P(Conformance, RemovedJobLeavesItsRunsAndItsCounters) {
  Run run = make_occurrence(1, job_, at(10));
  ok({PutJob{job_}, InsertRun{run}, InsertRun{make_occurrence(2, job_, at(20))}});
  conflict({RemoveJob{job_.id, 2}});
  EXPECT_THAT(affected({RemoveJob{job_.id, 1}}), ElementsAre(1));
  conflict({RemoveJob{job_.id, 1}});
  ok({finish(run, RunState::succeeded, at(11))});
  Recovered recovered = harness_->restart();
  EXPECT_THAT(recovered.jobs, IsEmpty());
  EXPECT_EQ(recovered.removed_jobs, (Counters{.produced = 2, .succeeded = 1}));
  ok({PutJob{make_job(8, "daily")}});
}

TEST_P(Conformance, WatermarkMovesOnlyFromWhereItStands) {
  ok({PutJob{job_}});
  conflict({AdvanceJob{job_.id, 1, at(999), at(2000)}});
  conflict({AdvanceJob{job_.id, 2, at(1000), at(2000)}});
  conflict({AdvanceJob{JobId{8}, 1, at(1000), at(2000)}});
  ok({AdvanceJob{job_.id, 1, at(1000), kNever}});
  EXPECT_EQ(harness_->restart().jobs.front().next_due, kNever);
}

// ---- runs
// -----------------------------------------------------------------------------------------

TEST_P(Conformance, OneRunPerOccurrence) {
  ok({PutJob{job_}, InsertRun{make_occurrence(1, job_, at(10))}});
  conflict({InsertRun{make_occurrence(2, job_, at(10))}});
  conflict({InsertRun{make_occurrence(1, job_, at(20))}});
  ok({InsertRun{make_occurrence(2, make_job(8, "other"), at(10))}});
}

TEST_P(Conformance, OneRunPerIdempotencyKeyOfAJob) {
  ok({PutJob{job_}, InsertRun{make_trigger(1, job_, "once")}});
  conflict({InsertRun{make_trigger(2, job_, "once")}});
  ok({InsertRun{make_trigger(2, job_, "")}, InsertRun{make_trigger(3, job_, "")}});
  ok({InsertRun{make_trigger(4, make_job(8, "other"), "once")}});
}

TEST_P(Conformance, OneRunPerTimerKeyOfAnApp) {
  ok({InsertRun{make_timer(1, "a", at(10))}});
  conflict({InsertRun{make_timer(2, "a", at(20))}});
  Run elsewhere = make_timer(2, "a", at(20));
  elsewhere.app = "bank";
  ok({InsertRun{elsewhere}});
}

TEST_P(Conformance, RunInAStateOfTheProcessIsInvalid) {
  for (RunState state : {RunState::armed, RunState::dispatched, RunState::running}) {
    Run run = make_timer(1, "a", at(10));
    run.state = state;
    refused(ErrorCode::invalid, {InsertRun{run}});
  }
  Run endless = make_timer(1, "a", at(10));
  endless.state = RunState::skipped;
  refused(ErrorCode::invalid, {InsertRun{endless}});
}

TEST_P(Conformance, RunThatIsBornTerminalIsCountedAtOnce) {
  Run skipped = make_occurrence(1, job_, at(10));
  skipped.state = RunState::skipped;
  skipped.finished_at = at(10);
  ok({PutJob{job_}, InsertRun{skipped}});
  EXPECT_EQ(counters(), (Counters{.produced = 1, .skipped = 1}));
}

TEST_P(Conformance, UpdateNeedsTheRevisionAndALiveRun) {
  Run run = make_timer(1, "a", at(10));
  ok({InsertRun{run}});
  UpdateRun stale = finish(run, RunState::failed, at(11));
  stale.expected_revision = 2;
  refused(ErrorCode::invalid, {stale});
  stale.after.revision = 3;
  conflict({stale});
  ok({finish(run, RunState::failed, at(11))});
  Run after = find(1);
  conflict({finish(after, RunState::succeeded, at(12))});
  conflict({finish(make_timer(2, "b", at(10)), RunState::failed, at(11))});
  EXPECT_EQ(counters(), (Counters{.produced = 1, .failed = 1}));
}

TEST_P(Conformance, UpdateWritesTheMutablePartOnly) {
  Run run = make_trigger(1, job_, "once");
  ok({PutJob{job_}, InsertRun{run}});
  Run after = run;
  after.revision = 2;
  after.attempt = 2;
  after.tries = 1;
  after.next_attempt_at = at(60);
  after.elapsed_term = 1;
  after.reason = "refused";
  Run given = after;
  given.due = at(70);
  given.app = "bank";
  given.payload = "other";
  given.idempotency_key = "other";
  ok({UpdateRun{given, 1}});
  EXPECT_EQ(text_of(find(1)), text_of(after));
}

TEST_P(Conformance, MovedTimerGetsItsNewDueAndSpec) {
  Run run = make_timer(1, "a", at(10));
  ok({InsertRun{run}});
  run.revision = 2;
  run.due = run.next_attempt_at = at(30);
  run.idempotency_key = "second";
  run.timer = make_timer_spec("http://localhost/moved");
  Run without_spec = run;
  ok({UpdateRun{.after = run, .expected_revision = 1, .replace_spec = true}});
  EXPECT_EQ(text_of(find(1)), text_of(run));
  without_spec.revision = 3;
  without_spec.timer = nullptr;
  ok({UpdateRun{without_spec, 2}});
  EXPECT_EQ(find(1).timer->target.index(), 0u);
  EXPECT_THAT(ids(LoadDue{.until = at(29), .limit = 10}), IsEmpty());
  EXPECT_THAT(ids(LoadDue{.until = at(30), .limit = 10}), ElementsAre(1));
}

TEST_P(Conformance, EveryAttemptIsKeptAndCanBeReplaced) {
  Run run = make_timer(1, "a", at(10));
  ok({InsertRun{run}});
  Attempt first{.number = 1, .term = 1, .started_at = at(10), .lateness = 5us};
  run.revision = 2;
  ok({UpdateRun{run, 1, first}});
  first.state = AttemptState::timed_out;
  first.finished_at = at(12);
  first.error = "timeout";
  run.revision = 3;
  ok({UpdateRun{run, 2, first}});
  UpdateRun last = finish(run, RunState::succeeded, at(13));
  last.attempt = Attempt{.number = 2,
                         .term = 1,
                         .state = AttemptState::succeeded,
                         .started_at = at(12),
                         .finished_at = at(13),
                         .status = 200,
                         .output = std::string("\0\xff out", 6)};
  ok({last});
  auto details = harness_->get<RunDetails>(GetRun{run.id});
  ASSERT_EQ(details.attempts.size(), 2u);
  EXPECT_EQ(text_of(details.attempts[0]), text_of(first));
  EXPECT_EQ(text_of(details.attempts[1]), text_of(*last.attempt));
  EXPECT_FALSE(harness_->get<RunDetails>(GetRun{RunId{2}}).run.has_value());
}

// ---- keys
// -----------------------------------------------------------------------------------------

TEST_P(Conformance, TerminalTimerHoldsItsKeyUntilItIsReleased) {
  Run run = make_timer(1, "a", at(10));
  ok({InsertRun{run}});
  conflict({ReleaseKey{run.id}});
  ok({finish(run, RunState::succeeded, at(11))});
  conflict({InsertRun{make_timer(2, "a", at(20))}});
  EXPECT_THAT(holders({"a"}), ElementsAre(1));
  EXPECT_THAT(affected({ReleaseKey{run.id}, InsertRun{make_timer(2, "a", at(20))}}),
              ElementsAre(1, 1));
  EXPECT_THAT(holders({"a"}), ElementsAre(2));
  EXPECT_THAT(affected({ReleaseKey{run.id}, ReleaseKey{RunId{3}}}), ElementsAre(0, 0));
  EXPECT_THAT(ids(ListRuns{.app = "shop", .key = "a"}), ElementsAre(2, 1));
}

TEST_P(Conformance, TimersAreFoundInTheOrderOfKeys) {
  ok({InsertRun{make_timer(1, "a", at(10))}, InsertRun{make_timer(2, "b", at(10))}});
  EXPECT_THAT(holders({"b", "none", "a", "b"}), ElementsAre(2, 1, 2));
  EXPECT_THAT(ids(FindTimers{"bank", {"a"}}), IsEmpty());
  auto many =
      harness_->ask(FindTimers{"shop", std::vector<std::string>(kMaxTimersPerBatch + 1, "a")});
  ASSERT_FALSE(many.ok());
  EXPECT_EQ(many.error().code, ErrorCode::invalid);
}

// ---- many runs at once
// ------------------------------------------------------------------------------

TEST_P(Conformance, DropPlannedTakesBackOnlyWhatWasNeverArmed) {
  Run retried = make_occurrence(3, job_, at(30));
  Run done = make_occurrence(4, job_, at(40));
  ok({PutJob{job_}, InsertRun{make_occurrence(1, job_, at(10))},
      InsertRun{make_occurrence(2, job_, at(20))}, InsertRun{retried}, InsertRun{done},
      InsertRun{make_trigger(5, job_, "")}, InsertRun{make_occurrence(6, make_job(8, "x"), at(50))},
      finish(done, RunState::succeeded, at(41))});
  retried.revision = 2;
  retried.attempt = 2;
  ok({UpdateRun{retried, 1}});
  EXPECT_THAT(affected({DropPlanned{job_.id, at(10)}}), ElementsAre(1));
  EXPECT_THAT(ids(ListRuns{}), ElementsAre(6, 5, 4, 3, 1));
  EXPECT_EQ(counters(), (Counters{.produced = 5, .succeeded = 1}));
  ok({InsertRun{make_occurrence(2, job_, at(20))}});
}

TEST_P(Conformance, CancelPlannedSparesTheGivenRuns) {
  Run done = make_occurrence(3, job_, at(30));
  ok({PutJob{job_}, InsertRun{make_occurrence(1, job_, at(10))},
      InsertRun{make_occurrence(2, job_, at(20))}, InsertRun{done},
      InsertRun{make_trigger(4, job_, "")}, InsertRun{make_timer(5, "a", at(10))},
      finish(done, RunState::failed, at(31))});
  EXPECT_THAT(affected({CancelPlanned{job_.id, {RunId{2}, RunId{3}}, at(50), "job deleted"}}),
              ElementsAre(2));
  EXPECT_THAT(ids(LoadDue{.until = kNever, .limit = 10}), ElementsAre(5, 2));
  Run cancelled = find(1);
  EXPECT_EQ(cancelled.state, RunState::cancelled);
  EXPECT_EQ(cancelled.finished_at, at(50));
  EXPECT_EQ(cancelled.reason, "job deleted");
  EXPECT_EQ(cancelled.revision, 2);
  EXPECT_EQ(counters(), (Counters{.produced = 5, .failed = 1, .cancelled = 2}));
  refused(ErrorCode::invalid, {CancelPlanned{JobId{0}, {}, at(50), "all timers"}});
}

TEST_P(Conformance, MissIsCountedAsProducedAndSkipped) {
  ok({PutJob{job_}});
  ok({AddMiss{job_.id, {at(10), at(20), 11, "catch_up"}}});
  ok({AddMiss{JobId{99}, {at(10), at(20), 2, "catch_up"}}});
  Recovered recovered = harness_->restart();
  EXPECT_EQ(recovered.jobs.front().counters, (Counters{.produced = 11, .skipped = 11}));
  EXPECT_EQ(recovered.removed_jobs, (Counters{.produced = 2, .skipped = 2}));
  refused(ErrorCode::invalid, {AddMiss{JobId{0}, {}}});
}

TEST_P(Conformance, ShiftElapsedMovesLiveRunsOfThatTermAndNeverLeavesTheRange) {
  Run other_term = make_timer(2, "b", at(10));
  Run moved = make_timer(1, "a", at(10));
  Run never = make_timer(3, "c", kNever);
  Run done = make_timer(4, "d", at(10));
  other_term.elapsed_term = 2;
  moved.elapsed_term = never.elapsed_term = done.elapsed_term = 1;
  ok({InsertRun{moved}, InsertRun{other_term}, InsertRun{never}, InsertRun{done},
      finish(done, RunState::failed, at(11))});
  EXPECT_THAT(affected({ShiftElapsed{1, 5s}}), ElementsAre(2));
  EXPECT_EQ(find(1).next_attempt_at, at(15));
  EXPECT_EQ(find(1).due, at(10));
  EXPECT_EQ(find(2).next_attempt_at, at(10));
  EXPECT_EQ(find(3).next_attempt_at, kNever);
  ok({ShiftElapsed{1, -7s}});
  EXPECT_THAT(ids(LoadDue{.until = at(8), .limit = 10}), ElementsAre(1));
  ok({ShiftElapsed{1, Duration::min()}, ShiftElapsed{1, Duration::min()}});
  EXPECT_EQ(find(1).next_attempt_at, Instant::min());
  refused(ErrorCode::invalid, {ShiftElapsed{0, 1s}});
}

TEST_P(Conformance, PruneTakesTheOldestTerminalRunsUpToTheLimit) {
  std::vector<Mutation> mutations{PutJob{job_}};
  for (int i = 1; i <= 5; ++i) {
    Run run = make_timer(i, "key" + std::to_string(i), at(i));
    mutations.push_back(InsertRun{run});
    UpdateRun end = finish(run, RunState::succeeded, at(10 * i));
    end.attempt = Attempt{.number = 1};
    if (i < 5) mutations.push_back(end);
  }
  ok(mutations);
  ok({AddMiss{job_.id, {at(10), at(20), 11, "catch_up"}}});
  EXPECT_THAT(affected({Prune{at(40), 2}}), ElementsAre(2));
  EXPECT_THAT(ids(ListRuns{}), ElementsAre(5, 4, 3));
  EXPECT_THAT(affected({Prune{at(40), 10}}), ElementsAre(2)) << "a run and a miss";
  EXPECT_THAT(affected({Prune{at(40), 10}}), ElementsAre(0));
  EXPECT_THAT(holders({"key1", "key4"}), ElementsAre(4));
  EXPECT_EQ(counters(), (Counters{.produced = 16, .succeeded = 4, .skipped = 11}));
}

// ---- transactions
// -----------------------------------------------------------------------------------

TEST_P(Conformance, WriteIsAllOrNone) {
  Run timer = make_timer(1, "a", at(10));
  ok({PutJob{job_}, InsertRun{timer}, InsertRun{make_occurrence(2, job_, at(20))}});
  Job edited = job_;
  edited.revision = 2;
  UpdateRun end = finish(timer, RunState::succeeded, at(11));
  end.attempt = Attempt{.number = 1};
  std::string before = visible_state(*harness_);
  conflict({PutJob{edited, 1}, SetArmed{{at(1), at(2), at(3), at(4)}}, end, Prune{kNever, 10},
            DropPlanned{job_.id, Instant::min()}, AddMiss{job_.id, {at(1), at(2), 3, "catch_up"}},
            InsertRun{make_timer(4, "b", at(30))}, ShiftElapsed{1, 1s}, RemoveJob{job_.id, 2},
            RemoveJob{job_.id, 2}});
  std::string after = visible_state(*harness_);
  EXPECT_EQ(after.substr(after.find("armed")), before.substr(before.find("armed")));
}

TEST_P(Conformance, MutationsSeeTheOnesBeforeThem) {
  Run timer = make_timer(1, "a", at(10));
  ok({InsertRun{timer}, finish(timer, RunState::cancelled, at(11)), ReleaseKey{timer.id},
      InsertRun{make_timer(2, "a", at(20))}});
  EXPECT_THAT(holders({"a"}), ElementsAre(2));
}

TEST_P(Conformance, EmptyWriteIsFine) { EXPECT_THAT(affected({}), IsEmpty()); }

TEST_P(Conformance, AnswersComeInOrderAndARefusedWriteFailsAlone) {
  constexpr int kWrites = 300;
  Ticket first = harness_->last_ticket() + 1;
  for (int i = 0; i < kWrites; ++i) {
    // Every third one wants the key of the one before.
    int key = i % 3 == 2 ? i - 1 : i;
    harness_->submit(
        Write{harness_->term, {InsertRun{make_timer(i + 1, std::to_string(key), at(i))}}});
    harness_->submit(FindRun{RunId{i + 1}});
  }
  auto answers = harness_->answers.take(2 * kWrites);
  ASSERT_EQ(answers.size(), 2u * kWrites);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    EXPECT_EQ(answers[i].ticket, first + i);
    bool refused = (i / 2) % 3 == 2;
    if (i % 2 == 0) {
      EXPECT_EQ(answers[i].result.ok(), !refused);
    } else {
      EXPECT_EQ(std::get<RunPage>(*answers[i].result).runs.size(), refused ? 0u : 1u);
    }
  }
}

TEST_P(Conformance, OutcomeOfAWriteCanBeAskedFor) {
  Ticket written = harness_->submit(Write{harness_->term, {InsertRun{make_timer(1, "a", at(1))}}});
  harness_->submit(FindOutcome{written});
  auto answers = harness_->answers.take(2);
  EXPECT_TRUE(std::get<Outcome>(*answers[1].result).committed);
  EXPECT_TRUE(harness_->get<Outcome>(FindOutcome{written}).committed);
  EXPECT_FALSE(harness_->get<Outcome>(FindOutcome{harness_->last_ticket() + 1}).committed);
}

// ---- loads and lists
// --------------------------------------------------------------------------------

TEST_P(Conformance, LoadsPageByInstantAndId) {
  std::vector<Mutation> mutations;
  for (int i = 1; i <= 9; ++i) {
    mutations.push_back(InsertRun{make_timer(i, std::to_string(i), at(10 * ((i - 1) / 3)))});
  }
  ok(mutations);
  LoadDue load{.from = at(0), .until = at(20), .limit = 2};
  std::vector<std::int64_t> all;
  for (bool more = true; more;) {
    auto page = harness_->get<RunPage>(load);
    for (const Run& run : page.runs) all.push_back(run.id.value);
    more = page.more;
    load.cursor_at = page.runs.back().next_attempt_at;
    load.cursor_id = page.runs.back().id;
  }
  EXPECT_THAT(all, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9));
}

TEST_P(Conformance, LoadBoundsAreInclusiveAndCursorsOutsideThemAreFine) {
  ok({InsertRun{make_timer(1, "a", at(10))}, InsertRun{make_timer(2, "b", at(20))},
      InsertRun{make_timer(3, "c", at(30))}, InsertRun{make_timer(4, "d", kNever)}});
  EXPECT_THAT(ids(LoadDue{.from = at(20), .until = at(30), .limit = 9}), ElementsAre(2, 3));
  LoadDue early{at(20), at(30), at(5), RunId{9}, 9};
  EXPECT_THAT(ids(early), ElementsAre(2, 3));
  LoadDue late{at(20), at(30), at(40), RunId{0}, 9};
  EXPECT_THAT(ids(late), IsEmpty());
  EXPECT_THAT(ids(LoadDue{.from = at(31), .until = kNever, .limit = 9}), ElementsAre(4));
  LoadDue last{at(0), kNever, kNever, RunId{4}, 9};
  EXPECT_THAT(ids(last), IsEmpty());
  auto none = harness_->get<RunPage>(LoadDue{.until = at(30), .limit = 0});
  EXPECT_TRUE(none.runs.empty() && none.more);
}

TEST_P(Conformance, ListsFilterAndPageNewestFirst) {
  Run done = make_occurrence(2, job_, at(20));
  ok({PutJob{job_}, InsertRun{make_occurrence(1, job_, at(10))}, InsertRun{done},
      InsertRun{make_trigger(3, job_, "")}, InsertRun{make_timer(4, "a", at(40))},
      InsertRun{make_timer(5, "b", at(50))}, finish(done, RunState::failed, at(21))});
  EXPECT_THAT(ids(ListRuns{}), ElementsAre(5, 4, 3, 2, 1));
  EXPECT_THAT(ids(ListRuns{.app = "bank"}), IsEmpty());
  EXPECT_THAT(ids(ListRuns{.app = "shop", .job = "daily"}), ElementsAre(3, 2, 1));
  EXPECT_THAT(ids(ListRuns{.key = "a"}), ElementsAre(4));
  EXPECT_THAT(ids(ListRuns{.app = "shop", .key = "a"}), ElementsAre(4));
  EXPECT_THAT(ids(ListRuns{.app = "bank", .key = "a"}), IsEmpty());
  EXPECT_THAT(ids(ListRuns{.state = RunState::failed}), ElementsAre(2));
  EXPECT_THAT(ids(ListRuns{.origin = RunOrigin::timer}), ElementsAre(5, 4));
  EXPECT_THAT(ids(ListRuns{.due_from = at(20), .due_to = at(50)}), ElementsAre(4, 2));
  EXPECT_THAT(
      ids(ListRuns{.app = "shop", .key = "b", .origin = RunOrigin::timer, .due_from = at(50)}),
      ElementsAre(5));
  auto page = harness_->get<RunPage>(ListRuns{.before = RunId{4}, .limit = 2});
  EXPECT_TRUE(page.more);
  EXPECT_EQ(page.runs.back().id, RunId{2});
  EXPECT_FALSE(harness_->get<RunPage>(ListRuns{.before = RunId{3}, .limit = 2}).more);
}

TEST_P(Conformance, NamesAreDataNeverPattern) {
  Run odd = make_timer(1, "a'; DROP TABLE runs; -- %_\"", at(10));
  odd.app = "sh\xc3\xb6p '%";
  ok({InsertRun{odd}});
  EXPECT_THAT(ids(FindTimers{odd.app, {odd.key}}), ElementsAre(1));
  EXPECT_THAT(ids(ListRuns{.app = odd.app, .key = odd.key}), ElementsAre(1));
  EXPECT_THAT(ids(ListRuns{.key = "%"}), IsEmpty());
}

}  // namespace
}  // namespace escapement::stores::testing
