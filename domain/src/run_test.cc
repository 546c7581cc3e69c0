#include "escapement/domain/run.h"

#include <gmock/gmock.h>

#include "codec_test_util.h"

namespace escapement::domain {
namespace {

using ::testing::HasSubstr;

constexpr RunState kAll[] = {RunState::planned,   RunState::armed,     RunState::dispatched,
                             RunState::running,   RunState::succeeded, RunState::failed,
                             RunState::cancelled, RunState::skipped};

TEST(RunStates, NamesAreReadBack) {
  for (const RunState state : kAll) EXPECT_EQ(run_state_from(to_string(state)), state);
  EXPECT_FALSE(run_state_from("done").has_value());
  EXPECT_FALSE(run_state_from("").has_value());
  EXPECT_EQ(to_string(RunOrigin::trigger), "trigger");
  EXPECT_EQ(to_string(AttemptState::timed_out), "timed_out");
}

TEST(RunStates, TerminalIsFinal) {
  for (const RunState from : kAll) {
    EXPECT_FALSE(is_legal(from, from));
    for (const RunState to : kAll) {
      EXPECT_FALSE(is_terminal(from) && is_legal(from, to));
    }
  }
}

TEST(RunStates, TheLifeOfARunAndItsRetry) {
  using enum RunState;
  EXPECT_TRUE(is_legal(planned, armed));
  EXPECT_TRUE(is_legal(armed, dispatched));
  EXPECT_TRUE(is_legal(dispatched, running));
  EXPECT_TRUE(is_legal(running, succeeded));
  EXPECT_TRUE(is_legal(running, failed));
  EXPECT_TRUE(is_legal(running, planned));
}

TEST(RunStates, OnceDispatchedARunIsNeitherCancelledNorSkipped) {
  using enum RunState;
  for (const RunState to : {cancelled, skipped}) {
    EXPECT_TRUE(is_legal(planned, to));
    EXPECT_TRUE(is_legal(armed, to));
    EXPECT_FALSE(is_legal(dispatched, to));
    EXPECT_FALSE(is_legal(running, to));
  }
}

TEST(RunStates, NothingSucceedsUnseenAndNothingIsDispatchedUnarmed) {
  using enum RunState;
  EXPECT_FALSE(is_legal(planned, succeeded));
  EXPECT_FALSE(is_legal(armed, succeeded));
  EXPECT_FALSE(is_legal(planned, dispatched));
  EXPECT_FALSE(is_legal(running, dispatched));
}

TEST(RunIds, AreReadBackByTheStoreThatWroteThem) {
  for (const std::int64_t value : {std::int64_t{1}, (std::int64_t{3} << 40) + 0xabc, INT64_MAX}) {
    const std::string text = format_run_id("abc234defg", RunId{value});
    EXPECT_EQ(parse_run_id("abc234defg", text), RunId{value});
    EXPECT_FALSE(parse_run_id("zzz234defg", text).has_value());
  }
  EXPECT_EQ(format_run_id("s", RunId{0x30000000abc}), "s-30000000abc");
}

TEST(RunIds, AnyOtherTextIsNone) {
  for (const char* text : {"", "s", "s-", "s-0", "s--1", "s-01", "s-A", "s-+1", "s- 1", "s-1 ",
                           "s-1x", "s-8000000000000000", "s-11111111111111111", "s1", "t-1"}) {
    EXPECT_FALSE(parse_run_id("s", text).has_value()) << text;
  }
}

TEST(CountersSum, AddsUpAndConserves) {
  Counters sum{.produced = 10, .succeeded = 4, .failed = 3, .cancelled = 1, .skipped = 1};
  EXPECT_EQ(sum.live(), 1);
  sum += Counters{.produced = 5, .succeeded = 1, .failed = 1, .cancelled = 1, .skipped = 1};
  EXPECT_EQ(sum,
            (Counters{.produced = 15, .succeeded = 5, .failed = 4, .cancelled = 2, .skipped = 2}));
  EXPECT_EQ(sum.live(), 2);
}

TEST(RunCodec, ARunOfAJobNamesItsJob) {
  domain::Run run;
  run.id = {0x2a};
  run.app = "shop";
  run.job = "nightly";
  run.due = from_micros(1);
  run.state = RunState::armed;
  run.payload = "p";
  EXPECT_EQ(to_json(run, "store"), json_of(R"({"id":"store-2a","app":"shop","job":"nightly",
    "origin":"occurrence","due":"1970-01-01T00:00:00.000001Z",
    "next_attempt_at":"1970-01-01T00:00:00Z","state":"armed","attempt":1,
    "created_at":"1970-01-01T00:00:00Z","finished_at":null,"reason":"","payload":"p"})"));
}

TEST(RunCodec, ATimerNamesItsKeyAndCarriesItsSpec) {
  domain::Run run;
  run.origin = RunOrigin::timer;
  run.key = "order-17";
  run.finished_at = from_micros(0);
  run.timer = std::make_shared<const TimerSpec>(
      *timer_spec_from_json(json_of(R"({"target":{"http":{"url":"http://h"}}})"), ""));
  const Json json = to_json(run, "store");
  EXPECT_EQ(json["key"], "order-17");
  EXPECT_FALSE(json.contains("job"));
  EXPECT_EQ(json["target"]["http"]["url"], "http://h");
  EXPECT_EQ(json["timeout"], "30s");
  EXPECT_EQ(json["finished_at"], "1970-01-01T00:00:00Z");
}

TEST(RunCodec, AnAttemptShowsEverything) {
  Attempt attempt;
  attempt.number = 2;
  attempt.term = 3;
  attempt.state = AttemptState::failed;
  attempt.lateness = Duration{1250};
  attempt.status = 500;
  attempt.error = "HTTP 500";
  attempt.output = "oops";
  EXPECT_EQ(to_json(attempt), json_of(R"({"number":2,"term":3,"state":"failed",
    "started_at":"1970-01-01T00:00:00Z","finished_at":null,"lateness_ms":1.25,"status":500,
    "error":"HTTP 500","output":"oops"})"));
}

std::string name_outcome(const std::string& name) { return outcome(check_name(name, "key")); }

TEST(Names, PrintableUtf8IsAllowed) {
  for (const char* name : {"a", "order-17", "Größe", "注文", "a b", "a.b", "...", "%2F", "😀"}) {
    EXPECT_EQ(name_outcome(name), "ok") << name;
  }
}

TEST(Names, HaveOneToTwoHundredBytes) {
  EXPECT_THAT(name_outcome(""), HasSubstr("key: is required"));
  EXPECT_EQ(name_outcome(std::string(kMaxNameBytes, 'n')), "ok");
  EXPECT_THAT(name_outcome(std::string(kMaxNameBytes + 1, 'n')), HasSubstr("at most 200 bytes"));
}

TEST(Names, SlashesDotsAndControlCodesAreRefused) {
  EXPECT_THAT(name_outcome("a/b"), HasSubstr("'/'"));
  EXPECT_THAT(name_outcome("."), HasSubstr("\"..\""));
  EXPECT_THAT(name_outcome(".."), HasSubstr("\"..\""));
  for (const std::string& name : {std::string("a\0b", 3), std::string("\n"), std::string("\x7f"),
                                  std::string("\xC2\x85"), std::string("\xE2\x80\xA8")}) {
    EXPECT_THAT(name_outcome(name), HasSubstr("control"));
  }
}

TEST(Names, BrokenUtf8IsRefused) {
  for (const char* name : {"\x80", "\xFF", "\xC3", "\xC0\xAF", "\xE0\x80\xAF", "\xED\xA0\x80",
                           "\xF4\x90\x80\x80", "\xF0\x9F\x98", "\xC3(", "\xF8\x88\x80\x80\x80"}) {
    EXPECT_THAT(name_outcome(name), HasSubstr("must be UTF-8"));
  }
}

}  // namespace
}  // namespace escapement::domain
