// Single rules of the scheduler, each on a desk of its own.
#include <gtest/gtest.h>

#include <set>

#include "desk.h"

namespace escapement::simulation {
namespace {

using namespace std::chrono_literals;
using domain::AttemptState;
using domain::RunState;
using engine::Dispatch;

const std::string kTarget = R"("target":{"http":{"method":"POST","url":"http://127.0.0.1:1/"}})";

std::string job_json(const std::string& schedule, const std::string& more = "") {
  return R"({"schedule":)" + schedule + "," + kTarget + (more.empty() ? "" : "," + more) + "}";
}
std::string timer_json(const std::string& when) { return "{" + when + "," + kTarget + "}"; }

Desk::Answer always(AttemptState state, bool retryable = true) {
  return [state, retryable](const Dispatch& dispatch) {
    engine::AttemptResult result;
    result.key = dispatch.key;
    result.state = state;
    result.retryable = retryable;
    if (state != AttemptState::succeeded) result.error = "it failed";
    return result;
  };
}

void expect_conserved(const Desk& desk) {
  const engine::AuditReport report = desk.disk().audit();
  EXPECT_EQ(report.live_rows, report.counters.live());
}

TEST(Scenario, EveryFiftyMillisecondsIsHonouredNotThinned) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  ASSERT_TRUE(desk.put_job("tick", job_json(R"({"every":"50ms"})")).result.ok());
  desk.run_for(10s);
  ASSERT_EQ(desk.dispatches.size(), 200U);
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(desk.dispatches[i].due, kDeskStart + 50ms * (i + 1));
    EXPECT_GE(desk.dispatched_at[i].wall, desk.dispatches[i].due);
    EXPECT_LE(desk.dispatched_at[i].wall - desk.dispatches[i].due, 100us);
  }
  expect_conserved(desk);
}

TEST(Scenario, CronFiresAtItsZonesTime) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  const std::string berlin = job_json(R"({"cron":"30 13 * * *","tz":"Europe/Berlin"})");
  ASSERT_TRUE(desk.put_job("noon", berlin).result.ok());
  desk.run_for(24h);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.dispatches[0].due, kDeskStart + 30min);
}

TEST(Scenario, FixedDelayCountsFromTheEndOfTheRun) {
  Desk desk;
  ASSERT_TRUE(desk.put_job("loop", job_json(R"({"fixed_delay":"10s"})")).result.ok());
  desk.run_for(10s);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  desk.run_for(7s);
  desk.finish(desk.dispatches[0], AttemptState::succeeded);
  desk.run_for(9999ms);
  EXPECT_EQ(desk.dispatches.size(), 1U);
  desk.run_for(2ms);
  ASSERT_EQ(desk.dispatches.size(), 2U);
  EXPECT_EQ(desk.dispatches[1].due, kDeskStart + 27s);
}

TEST(Scenario, FixedDelayGoesOnAfterARestart) {
  Desk desk;
  ASSERT_TRUE(desk.put_job("loop", job_json(R"({"fixed_delay":"10s"})")).result.ok());
  desk.run_for(11s);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  desk.answer = always(AttemptState::succeeded);
  desk.restart(3s);
  desk.run_for(30s);
  ASSERT_GE(desk.dispatches.size(), 3U);
  EXPECT_EQ(desk.dispatches[1].key.number, 2);  // the first is unknown
  expect_conserved(desk);
}

TEST(Scenario, FixedDelayGoesOnAfterAnUnknownAttemptThatStops) {
  Desk desk;
  const std::string loop = job_json(R"({"fixed_delay":"10s"})", R"("on_unknown":"fail")");
  ASSERT_TRUE(desk.put_job("loop", loop).result.ok());
  desk.run_for(11s);
  desk.restart(1s);
  EXPECT_EQ(desk.runs(RunState::failed).size(), 1U);
  desk.run_for(11s);
  EXPECT_EQ(desk.dispatches.size(), 2U);
  expect_conserved(desk);
}

TEST(Scenario, AtFiresOnceAndAnEditOfItsTargetDoesNotFireItAgain) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  const std::string json = job_json(R"({"at":"2026-03-02T12:00:10Z"})");
  ASSERT_TRUE(desk.put_job("once", json).result.ok());
  desk.run_for(20s);
  ASSERT_TRUE(desk.put_job("once", json).result.ok());
  desk.run_for(60s);
  EXPECT_EQ(desk.dispatches.size(), 1U);
}

TEST(Scenario, RetriesBackOffAndStopAtMaxAttempts) {
  Desk desk;
  desk.answer = always(AttemptState::failed);
  const std::string retry =
      R"("retry":{"max_attempts":3,"backoff":{"initial":"1s","factor":2,"max":"5m","jitter":0}})";
  ASSERT_TRUE(desk.put_job("bad", job_json(R"({"at":"2026-03-02T12:00:01Z"})", retry)).result.ok());
  desk.run_for(60s);
  ASSERT_EQ(desk.dispatches.size(), 3U);
  EXPECT_GE(desk.dispatched_at[1].elapsed - desk.dispatched_at[0].elapsed, 1s);
  EXPECT_GE(desk.dispatched_at[2].elapsed - desk.dispatched_at[1].elapsed, 2s);
  ASSERT_EQ(desk.runs(RunState::failed).size(), 1U);
  EXPECT_EQ(desk.runs()[0].reason, "it failed");
}

TEST(Scenario, AFinalFailureIsNotRetried) {
  Desk desk;
  desk.answer = always(AttemptState::failed, false);
  ASSERT_TRUE(desk.put_timer("k", timer_json(R"("in":"1s")")).result.ok());
  desk.run_for(60s);
  EXPECT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.runs(RunState::failed).size(), 1U);
}

TEST(Scenario, NoRetryStartsLaterThanMaxAge) {
  Desk desk;
  desk.answer = always(AttemptState::failed);
  const std::string retry = R"("retry":{"max_attempts":100,"max_age":"10s",)"
                            R"("backoff":{"initial":"3s","factor":1,"max":"3s","jitter":0}})";
  ASSERT_TRUE(desk.put_job("bad", job_json(R"({"at":"2026-03-02T12:00:01Z"})", retry)).result.ok());
  desk.run_for(60s);
  EXPECT_EQ(desk.dispatches.size(), 4U);  // at 0, 3, 6 and 9 s after the due
}

TEST(Scenario, ATimeoutAbortsTheAttempt) {
  Desk desk;
  const std::string timer = R"({"in":"1s","timeout":"5s",)" + kTarget + "}";
  ASSERT_TRUE(desk.put_timer("k", timer).result.ok());
  desk.run_for(5900ms);
  EXPECT_TRUE(desk.aborted.empty());
  desk.run_for(200ms);
  ASSERT_EQ(desk.aborted.size(), 1U);
  EXPECT_EQ(desk.aborted[0].run, desk.dispatches[0].key.run);
}

TEST(Scenario, CatchUpLatestRunsTheLastMissedAndRecordsTheRest) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  ASSERT_TRUE(desk.put_job("min", job_json(R"({"cron":"* * * * *"})")).result.ok());
  desk.run_for(90s);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  desk.restart(10min);  // 12:11:30
  desk.run_for(1s);
  ASSERT_EQ(desk.dispatches.size(), 2U);
  EXPECT_EQ(desk.dispatches[1].due, kDeskStart + 11min);
  const auto skipped = static_cast<std::int64_t>(desk.runs(RunState::skipped).size());
  EXPECT_EQ(desk.missed() + skipped, 9);  // 12:02 to 12:10
  EXPECT_EQ(desk.job("min").counters.skipped, 9);
  expect_conserved(desk);
}

TEST(Scenario, CatchUpSkipRunsNothingOverdue) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  const std::string skip = R"("catch_up":{"policy":"skip"})";
  ASSERT_TRUE(desk.put_job("sec", job_json(R"({"every":"1s"})", skip)).result.ok());
  desk.run_for(1500ms);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  desk.restart(10min);
  desk.run_for(400ms);
  // Nothing but what the armed stretch leaves unknown.
  for (std::size_t i = 1; i < desk.dispatches.size(); ++i) {
    EXPECT_EQ(desk.dispatches[i].key.number, 2);
  }
  desk.run_for(2s);
  const auto planned = static_cast<std::int64_t>(desk.runs(RunState::planned).size());
  EXPECT_EQ(desk.job("sec").counters.live(), planned);
  expect_conserved(desk);
}

TEST(Scenario, CatchUpAllIsBoundedByItsLimit) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  const std::string all = R"("catch_up":{"policy":"all","limit":5})";
  ASSERT_TRUE(desk.put_job("min", job_json(R"({"cron":"* * * * *"})", all)).result.ok());
  desk.restart(60min);
  desk.run_for(1s);
  ASSERT_EQ(desk.dispatches.size(), 5U);
  std::set<Instant> dues;
  for (const Dispatch& dispatch : desk.dispatches) dues.insert(dispatch.due);
  EXPECT_EQ(*dues.begin(), kDeskStart + 56min);
  EXPECT_EQ(*dues.rbegin(), kDeskStart + 60min);
  expect_conserved(desk);
}

TEST(Scenario, AYearOfDowntimeOfASecondlyJobIsCountedInBoundedSteps) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  const std::string secondly = job_json(R"({"cron":"* * * * * ?","dialect":"quartz"})");
  ASSERT_TRUE(desk.put_job("sec", secondly).result.ok());
  desk.restart(24h * 7);
  desk.run_for(1s);
  EXPECT_GE(desk.missed() + static_cast<std::int64_t>(desk.runs(RunState::skipped).size()),
            7 * 86400 - 40);
  expect_conserved(desk);
}

TEST(Scenario, OverlapSkipNeverRunsTwoAtOnce) {
  Desk desk;
  const std::string skip = R"("overlap":{"policy":"skip"})";
  ASSERT_TRUE(desk.put_job("slow", job_json(R"({"every":"1s"})", skip)).result.ok());
  desk.run_for(3500ms);
  EXPECT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.runs(RunState::skipped).size(), 2U);
  desk.finish(desk.dispatches[0], AttemptState::succeeded);
  desk.run_for(1s);
  EXPECT_EQ(desk.dispatches.size(), 2U);
}

TEST(Scenario, OverlapQueueRunsOneAfterTheOtherUpToItsLimit) {
  Desk desk;
  const std::string queue = R"("overlap":{"policy":"queue","limit":2})";
  ASSERT_TRUE(desk.put_job("slow", job_json(R"({"every":"1s"})", queue)).result.ok());
  desk.run_for(5500ms);
  EXPECT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.runs(RunState::skipped).size(), 2U);
  desk.finish(desk.dispatches[0], AttemptState::succeeded);
  ASSERT_EQ(desk.dispatches.size(), 2U);
  EXPECT_EQ(desk.dispatches[1].due, kDeskStart + 2s);
}

TEST(Scenario, PauseKeepsWhatIsArmedAndResumePlansFromNow) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  ASSERT_TRUE(desk.put_job("min", job_json(R"({"cron":"* * * * *"})")).result.ok());
  ASSERT_TRUE(desk.ask(engine::PauseJob{{"app", "min"}}).result.ok());
  EXPECT_EQ(desk.job("min").next_due, kNever);
  desk.run_for(5min);
  EXPECT_TRUE(desk.dispatches.empty());
  ASSERT_TRUE(desk.ask(engine::ResumeJob{{"app", "min"}}).result.ok());
  desk.run_for(60s);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.dispatches[0].due, kDeskStart + 6min);
  EXPECT_EQ(desk.missed(), 0);
}

TEST(Scenario, AnEditDropsPlannedRowsAndRepeatsNothing) {
  Desk desk;
  desk.answer = always(AttemptState::succeeded);
  ASSERT_TRUE(desk.put_job("tick", job_json(R"({"every":"1s"})")).result.ok());
  desk.run_for(10500ms);
  ASSERT_TRUE(desk.put_job("tick", job_json(R"({"every":"7s"})")).result.ok());
  desk.run_for(60s);
  std::set<Instant> dues;
  for (const Dispatch& dispatch : desk.dispatches) {
    EXPECT_TRUE(dues.insert(dispatch.due).second) << format_instant(dispatch.due);
  }
  EXPECT_LE(desk.dispatches.size(), 10U + 5U + 8U);
  EXPECT_GE(desk.dispatches.size(), 10U + 7U);
  expect_conserved(desk);
}

TEST(Scenario, TriggerRunsBesideTheScheduleWithItsPayload) {
  Desk desk;
  ASSERT_TRUE(desk.put_job("hand", job_json(R"({"manual":true})")).result.ok());
  const auto reply = desk.ask(engine::TriggerJob{{"app", "hand"}, {2s, "hello"}, ""});
  ASSERT_TRUE(reply.result.ok());
  desk.run_for(1900ms);
  EXPECT_TRUE(desk.dispatches.empty());
  desk.run_for(200ms);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.dispatches[0].payload, "hello");
}

TEST(Scenario, DeleteCancelsWhatHasNotStarted) {
  Desk desk;
  ASSERT_TRUE(desk.put_job("tick", job_json(R"({"every":"1s"})")).result.ok());
  desk.run_for(1500ms);
  ASSERT_TRUE(desk.ask(engine::DeleteJob{{"app", "tick"}}).result.ok());
  desk.run_for(10s);
  EXPECT_EQ(desk.dispatches.size(), 1U);
  desk.finish(desk.dispatches[0], AttemptState::failed);
  EXPECT_EQ(desk.runs(RunState::failed).size(), 1U);
  EXPECT_FALSE(desk.ask(engine::ShowJob{{"app", "tick"}}).result.ok());
  expect_conserved(desk);
}

TEST(Scenario, AStartSettlesWhatTheTermBeforeLeftOpen) {
  Desk desk;
  ASSERT_TRUE(desk.put_timer("k", timer_json(R"("in":"1s")")).result.ok());
  desk.run_for(2s);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  desk.restart(1s);
  desk.run_for(1ms);
  ASSERT_EQ(desk.dispatches.size(), 2U);
  EXPECT_EQ(desk.dispatches[1].key.run, desk.dispatches[0].key.run);
  EXPECT_EQ(desk.dispatches[1].key.number, 2);
  EXPECT_GT(desk.dispatches[1].term, desk.dispatches[0].term);
  desk.finish(desk.dispatches[1], AttemptState::succeeded);
  const auto details = desk.disk().get_run(desk.dispatches[0].key.run);
  ASSERT_EQ(details.attempts.size(), 2U);
  EXPECT_EQ(details.attempts[0].state, AttemptState::unknown);
  EXPECT_EQ(details.run->tries, 1);
}

TEST(Scenario, OnUnknownFailStopsThere) {
  Desk desk;
  const std::string fail = R"("on_unknown":"fail")";
  ASSERT_TRUE(desk.put_job("once", job_json(R"({"at":"2026-03-02T12:00:01Z"})", fail)).result.ok());
  desk.run_for(2s);
  desk.restart(1s);
  desk.run_for(10s);
  EXPECT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.runs(RunState::failed).size(), 1U);
}

}  // namespace
}  // namespace escapement::simulation
