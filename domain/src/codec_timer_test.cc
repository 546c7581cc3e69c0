#include <gmock/gmock.h>

#include "codec_test_util.h"

namespace escapement::domain {
namespace {

using ::testing::StartsWith;

const std::string kTarget = R"("target":{"http":{"url":"http://h"}})";

Result<TimerRequest> alone(const std::string& fields) {
  return timer_request_from_json(json_of("{" + fields + "," + kTarget + "}"), "");
}

Result<TimerRequest> in_batch(const std::string& fields) {
  return timer_request_from_json(json_of("{" + fields + "," + kTarget + "}"), "timers[3]");
}

TEST(TimerCodec, InAndAtAreReadAndExcludeEachOther) {
  EXPECT_EQ(alone(R"("in":"30m")")->in, std::chrono::minutes{30});
  EXPECT_EQ(alone(R"("in":"0s")")->in, Duration::zero());
  EXPECT_EQ(alone(R"("at":"1970-01-01T00:00:01Z")")->at, from_micros(1'000'000));
  EXPECT_THAT(outcome(alone(R"("in":"1s","at":"1970-01-01T00:00:01Z")")), StartsWith("at: must"));
  EXPECT_THAT(outcome(alone(R"("reuse":true)")), StartsWith("in: is required"));
  EXPECT_THAT(outcome(alone(R"("in":"-1s")")), StartsWith("in: "));
  EXPECT_EQ(outcome(alone(R"("in":"36600d")")), "ok");
  EXPECT_THAT(outcome(alone(R"("in":"36600d1us")")), StartsWith("in: must be at most"));
}

TEST(TimerCodec, AKeyBelongsIntoABatchAndNowhereElse) {
  EXPECT_EQ(in_batch(R"("key":"order-17","in":"1s")")->key, "order-17");
  EXPECT_THAT(outcome(in_batch(R"("in":"1s")")), StartsWith("timers[3].key: is required"));
  EXPECT_THAT(outcome(in_batch(R"("key":"a/b","in":"1s")")), StartsWith("timers[3].key: must not"));
  EXPECT_THAT(outcome(alone(R"("key":"order-17","in":"1s")")), StartsWith("key: unknown field"));
}

TEST(TimerCodec, ErrorsOfABatchNameThePathOfTheField) {
  EXPECT_THAT(outcome(in_batch(R"("key":"k","in":"x")")), StartsWith("timers[3].in: "));
  EXPECT_THAT(outcome(in_batch(R"("key":"k","in":"1s","retry":{"max_attempts":0})")),
              StartsWith("timers[3].retry.max_attempts: "));
  EXPECT_THAT(outcome(in_batch(R"("key":"k","in":"1s","catch_up":{})")),
              StartsWith("timers[3].catch_up: unknown field"));
  EXPECT_THAT(outcome(timer_request_from_json(json_of(R"({"key":"k","in":"1s"})"), "timers[3]")),
              StartsWith("timers[3].target: is required"));
}

TEST(TimerCodec, ReuseAndTheSpecAreRead) {
  const Result<TimerRequest> request =
      alone(R"("in":"1s","reuse":true,"timeout":"7s","retry":{"max_attempts":9})");
  ASSERT_TRUE(request.ok());
  EXPECT_TRUE(request->reuse);
  EXPECT_FALSE(alone(R"("in":"1s")")->reuse);
  EXPECT_EQ(request->spec->timeout, 7s);
  EXPECT_EQ(request->spec->retry.max_attempts, 9);
}

TEST(TimerCodec, TheStoredPartSurvivesTheRoundTrip) {
  const Json json = json_of(R"({"timeout":"2s",
    "target":{"exec":{"argv":["x"],"stdin":"","env":{},"cwd":"","user":""}},
    "retry":{"max_attempts":1,"backoff":{"initial":"5s","factor":3.0,"max":"5s","jitter":1.0},
      "max_age":"1d"}})");
  EXPECT_EQ(to_json(*timer_spec_from_json(json, "")), json);
  EXPECT_THAT(outcome(timer_spec_from_json(json_of(R"({"in":"1s"})"), "spec")),
              StartsWith("spec.target: is required"));
  EXPECT_THAT(outcome(timer_spec_from_json(json_of("{" + kTarget + R"(,"in":"1s"})"), "spec")),
              StartsWith("spec.in: unknown field"));
}

TEST(TriggerCodec, BothFieldsAreOptional) {
  const Result<TriggerRequest> empty = trigger_request_from_json(json_of("{}"));
  EXPECT_EQ(empty->in, Duration::zero());
  EXPECT_FALSE(empty->payload.has_value());
  EXPECT_EQ(trigger_request_from_json(json_of(R"({"in":"5s"})"))->in, 5s);
}

TEST(TriggerCodec, APayloadIsAStringAsItIsOrAnyJsonAsText) {
  const auto payload = [](const char* text) {
    return *trigger_request_from_json(json_of(text))->payload;
  };
  EXPECT_EQ(payload(R"({"payload":"a b"})"), "a b");
  EXPECT_EQ(payload(R"({"payload":""})"), "");
  EXPECT_EQ(payload(R"({"payload":{"a":[1,null]}})"), R"({"a":[1,null]})");
  EXPECT_EQ(payload(R"({"payload":null})"), "null");
}

TEST(TriggerCodec, ErrorsNameTheField) {
  EXPECT_THAT(outcome(trigger_request_from_json(json_of("[]"))), StartsWith(": must be an object"));
  EXPECT_THAT(outcome(trigger_request_from_json(json_of(R"({"at":"x"})"))),
              StartsWith("at: unknown field"));
  EXPECT_THAT(outcome(trigger_request_from_json(json_of(R"({"in":5})"))),
              StartsWith("in: must be"));
  const auto sized = [](std::size_t bytes) {
    return outcome(
        trigger_request_from_json(json_of("{\"payload\":\"" + std::string(bytes, 'p') + "\"}")));
  };
  EXPECT_EQ(sized(kMaxPayloadBytes), "ok");
  EXPECT_THAT(sized(kMaxPayloadBytes + 1), StartsWith("payload: must have at most"));
}

}  // namespace
}  // namespace escapement::domain
