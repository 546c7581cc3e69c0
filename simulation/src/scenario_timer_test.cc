// Rules of durable timers and of the clocks, each on a desk of its own.
#include <gtest/gtest.h>

#include "desk.h"

namespace escapement::simulation {
namespace {

using namespace std::chrono_literals;
using domain::AttemptState;
using domain::RunState;
using engine::Dispatch;

const std::string kTarget = R"("target":{"http":{"method":"POST","url":"http://127.0.0.1:1/"}})";

std::string timer_json(const std::string& when) { return "{" + when + "," + kTarget + "}"; }

ErrorCode code_of(const engine::Reply& reply) {
  return reply.result.ok() ? ErrorCode::unavailable : reply.result.error().code;
}

bool created(const engine::Reply& reply) {
  return std::get<engine::RunsReply>(*reply.result).created[0];
}

TEST(TimerScenario, PutCreatesThenMoves) {
  Desk desk;
  EXPECT_TRUE(created(desk.put_timer("k", timer_json(R"("in":"10s")"))));
  EXPECT_FALSE(created(desk.put_timer("k", timer_json(R"("in":"20s")"))));
  desk.run_for(19s);
  EXPECT_TRUE(desk.dispatches.empty());
  desk.run_for(1001ms);
  EXPECT_EQ(desk.dispatches.size(), 1U);
}

TEST(TimerScenario, MovesATimerBeyondTheHorizonAndBack) {
  Desk desk;
  EXPECT_TRUE(created(desk.put_timer("k", timer_json(R"("in":"2h")"))));
  EXPECT_FALSE(created(desk.put_timer("k", timer_json(R"("in":"1s")"))));
  EXPECT_FALSE(created(desk.put_timer("k", timer_json(R"("in":"3h")"))));
  desk.run_for(2h + 59min);
  EXPECT_TRUE(desk.dispatches.empty());
  desk.run_for(2min);
  EXPECT_EQ(desk.dispatches.size(), 1U);
}

TEST(TimerScenario, APastInstantFiresAtOnce) {
  Desk desk;
  ASSERT_TRUE(desk.put_timer("k", timer_json(R"("at":"2020-01-01T00:00:00Z")")).result.ok());
  desk.run_for(1ms);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(format_instant(desk.dispatches[0].due), "2020-01-01T00:00:00Z");
}

TEST(TimerScenario, ACancelledTimerNeverFires) {
  Desk desk;
  desk.put_timer("near", timer_json(R"("in":"10s")"));
  desk.put_timer("far", timer_json(R"("in":"10h")"));
  EXPECT_TRUE(desk.cancel("near").result.ok());
  EXPECT_TRUE(desk.cancel("far").result.ok());
  EXPECT_EQ(code_of(desk.cancel("near")), ErrorCode::conflict);
  EXPECT_EQ(code_of(desk.cancel("never")), ErrorCode::not_found);
  desk.run_for(11h);
  EXPECT_TRUE(desk.dispatches.empty());
  EXPECT_EQ(desk.runs(RunState::cancelled).size(), 2U);
}

TEST(TimerScenario, AfterDispatchACancelAnswersConflictWithTheRun) {
  Desk desk;
  desk.put_timer("k", timer_json(R"("in":"1s")"));
  desk.run_for(2s);
  const engine::Reply reply = desk.cancel("k");
  EXPECT_EQ(code_of(reply), ErrorCode::conflict);
  ASSERT_TRUE(reply.current);
  EXPECT_EQ(reply.current->state, RunState::running);
  EXPECT_EQ(code_of(desk.put_timer("k", timer_json(R"("in":"1s")"))), ErrorCode::conflict);
}

TEST(TimerScenario, ACancelThatTheStoreRefusesLeavesTheTimerArmed) {
  Desk desk;
  desk.put_timer("k", timer_json(R"("in":"10s")"));
  desk.refuse_writes = Error{ErrorCode::full, "disk full", ""};
  EXPECT_EQ(code_of(desk.cancel("k")), ErrorCode::full);
  desk.refuse_writes.reset();
  desk.run_for(11s);
  EXPECT_EQ(desk.dispatches.size(), 1U);
}

TEST(TimerScenario, ATerminalKeyAnswersForADayUnlessReused) {
  Desk desk;
  desk.answer = [](const Dispatch& dispatch) {
    engine::AttemptResult result;
    result.key = dispatch.key;
    return result;
  };
  desk.put_timer("k", timer_json(R"("in":"1s")"));
  desk.run_for(2s);
  const auto again = desk.put_timer("k", timer_json(R"("in":"1s")"));
  EXPECT_FALSE(created(again));
  EXPECT_EQ(std::get<engine::RunsReply>(*again.result).runs[0].state, RunState::succeeded);
  EXPECT_TRUE(created(desk.put_timer("k", timer_json(R"("in":"1s","reuse":true)"))));
  desk.run_for(2s);
  EXPECT_EQ(desk.dispatches.size(), 2U);
  desk.run_for(24h);
  EXPECT_TRUE(created(desk.put_timer("k", timer_json(R"("in":"1s")"))));
}

TEST(TimerScenario, ABatchIsAllOrNone) {
  Desk desk;
  desk.put_timer("b", timer_json(R"("in":"1s")"));
  desk.run_for(2s);  // b is in flight: it cannot be moved
  std::vector<domain::TimerRequest> timers;
  for (const char* key : {"a", "b", "c"}) {
    auto timer = domain::timer_request_from_json(*parse_json(timer_json(R"("in":"5s")")), "");
    timer->key = key;
    timers.push_back(*timer);
  }
  EXPECT_EQ(code_of(desk.ask(engine::PutTimers{"app", timers, ""})), ErrorCode::conflict);
  desk.run_for(10s);
  EXPECT_EQ(desk.dispatches.size(), 1U);
  timers.erase(timers.begin() + 1);
  EXPECT_TRUE(desk.ask(engine::PutTimers{"app", timers, ""}).result.ok());
  desk.run_for(6s);
  EXPECT_EQ(desk.dispatches.size(), 3U);
}

TEST(TimerScenario, TheSameIdempotencyKeyDoesNotMoveTwice) {
  Desk desk;
  auto timer = domain::timer_request_from_json(*parse_json(timer_json(R"("in":"10s")")), "");
  timer->key = "k";
  ASSERT_TRUE(desk.ask(engine::PutTimers{"app", {*timer}, "once"}).result.ok());
  desk.run_for(6s);
  ASSERT_TRUE(desk.ask(engine::PutTimers{"app", {*timer}, "once"}).result.ok());
  desk.run_for(5s);
  EXPECT_EQ(desk.dispatches.size(), 1U);
}

TEST(ClockScenario, AForwardStepDoesNotHurryElapsedTimers) {
  Desk desk;
  desk.put_timer("in", timer_json(R"("in":"10s")"));
  desk.put_timer("at", timer_json(R"("at":"2026-03-02T12:30:00Z")"));
  desk.step_wall(1h);
  desk.run_for(1s);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.dispatches[0].name, "at");
  desk.run_for(10s);
  EXPECT_EQ(desk.dispatches.size(), 2U);
}

TEST(ClockScenario, ABackwardStepDelaysWallClockTimersOnly) {
  Desk desk;
  desk.put_timer("in", timer_json(R"("in":"10s")"));
  desk.put_timer("at", timer_json(R"("at":"2026-03-02T12:00:10Z")"));
  desk.run_for(1s);
  desk.step_wall(-1h);
  desk.run_for(10s);
  ASSERT_EQ(desk.dispatches.size(), 1U);
  EXPECT_EQ(desk.dispatches[0].name, "in");
  desk.run_for(1h);
  EXPECT_EQ(desk.dispatches.size(), 2U);
}

TEST(ClockScenario, ATimerMadeAfterAStepFollowsTheStoredInstantOverARestart) {
  Desk desk;
  desk.step_wall(1h);
  desk.put_timer("k", timer_json(R"("in":"30m")"));
  desk.run_for(5min);
  desk.restart(1min);
  desk.run_for(23min);
  EXPECT_TRUE(desk.dispatches.empty());
  desk.run_for(2min);
  EXPECT_EQ(desk.dispatches.size(), 1U);
}

TEST(ClockScenario, ABackwardStepRepeatsNoOccurrence) {
  Desk desk;
  desk.answer = [](const Dispatch& dispatch) {
    engine::AttemptResult result;
    result.key = dispatch.key;
    return result;
  };
  auto spec = domain::job_spec_from_json(
      *parse_json(R"({"schedule":{"cron":"* * * * *"},)" + kTarget + "}"));
  desk.ask(engine::UpsertJob{{"app", "min"}, std::make_shared<const domain::JobSpec>(*spec)});
  desk.run_for(10min);
  desk.step_wall(-5min);
  desk.run_for(20min);
  std::set<Instant> dues;
  for (const Dispatch& dispatch : desk.dispatches) {
    EXPECT_TRUE(dues.insert(dispatch.due).second) << format_instant(dispatch.due);
  }
  EXPECT_EQ(dues.size(), 25U);
}

TEST(ClockScenario, OneTimerFarAwayCostsNoWakeUps) {
  Desk desk;
  desk.put_timer("k", timer_json(R"("in":"10h")"));
  desk.run_for(1ms);
  const Deadline wake = desk.engine().next_wakeup();
  EXPECT_GE(wake.wall, kDeskStart + 9h);
  EXPECT_GE(wake.elapsed, desk.now().elapsed + 9h);
}

}  // namespace
}  // namespace escapement::simulation
