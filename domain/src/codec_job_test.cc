#include <gmock/gmock.h>

#include "codec_test_util.h"

namespace escapement::domain {
namespace {

using ::testing::StartsWith;

TEST(JobCodec, OnlyScheduleAndTargetAreRequiredAndDefaultsAreWrittenOut) {
  const Json json = rewritten(job_with(""));
  EXPECT_EQ(json, json_of(R"({"schedule":{"manual":true},
    "target":{"http":{"method":"POST","url":"http://h","headers":{},"body":""}},
    "retry":{"max_attempts":3,"backoff":{"initial":"1s","factor":2.0,"max":"5m","jitter":0.2}},
    "timeout":"30s","catch_up":{"policy":"latest","limit":100},
    "overlap":{"policy":"allow","limit":100},"on_unknown":"retry","description":"",
    "enabled":true})"));
}

TEST(JobCodec, EveryFieldSurvivesTheRoundTrip) {
  const Json json = json_of(R"({"schedule":{"every":"50ms","anchor":"2026-01-01T00:00:00.000250Z"},
    "target":{"exec":{"argv":["/bin/true","ä"],"stdin":"in","env":{"A":"1"},"cwd":"/tmp",
      "user":"nobody"}},
    "retry":{"max_attempts":5,"backoff":{"initial":"0s","factor":1.5,"max":"10m","jitter":0.0},
      "max_age":"1h"},
    "timeout":"1ms","catch_up":{"policy":"all","limit":7},"overlap":{"policy":"queue","limit":9},
    "on_unknown":"fail","description":"Läuft","enabled":false})");
  EXPECT_EQ(rewritten(json), json);
}

TEST(JobCodec, EveryScheduleSurvivesTheRoundTrip) {
  for (const char* schedule :
       {R"({"cron":"0 2 * * *","dialect":"unix","tz":"Europe/Berlin"})",
        R"({"cron":"0 0 2 * * ?","dialect":"quartz","tz":"UTC"})", R"({"every":"1ms"})",
        R"({"every":"1h30m","anchor":"1999-12-31T23:59:59Z"})", R"({"fixed_delay":"10s"})",
        R"({"at":"2027-01-01T00:00:00Z"})", R"({"manual":true})"}) {
    EXPECT_EQ(rewritten(job_with_schedule(schedule))["schedule"], json_of(schedule));
  }
}

TEST(JobCodec, DialectIsGuessedByTheNumberOfFieldsAndZoneDefaultsToUtc) {
  EXPECT_EQ(rewritten(job_with_schedule(R"({"cron":"0 2 * * *"})"))["schedule"],
            json_of(R"({"cron":"0 2 * * *","dialect":"unix","tz":"UTC"})"));
  EXPECT_EQ(rewritten(job_with_schedule(R"({"cron":"0 0 2 * * ?"})"))["schedule"],
            json_of(R"({"cron":"0 0 2 * * ?","dialect":"quartz","tz":"UTC"})"));
}

TEST(JobCodec, CronsAtEveryIsStoredAsTheFixedRateItIs) {
  EXPECT_EQ(rewritten(job_with_schedule(R"({"cron":"@every 90s","tz":"UTC"})"))["schedule"],
            json_of(R"({"every":"1m30s"})"));
}

TEST(JobCodec, InstantsWithOffsetsAreReadAsUtc) {
  EXPECT_EQ(rewritten(job_with_schedule(R"({"at":"2027-01-01T01:00:00+01:00"})"))["schedule"],
            json_of(R"({"at":"2027-01-01T00:00:00Z"})"));
}

struct Refused {
  const char* json;
  const char* field;  // and perhaps the start of the message
};

TEST(JobCodec, ErrorsNameThePathOfTheField) {
  const Refused cases[] = {
      {"[]", ": must be an object"},
      {"{}", "schedule: is required"},
      {R"({"schedule":{"manual":true}})", "target: is required"},
      {R"({"schedule":7,"target":{}})", "schedule: must be an object"},
      {R"({"schedule":{},"target":{}})", "schedule: must have exactly one of"},
      {R"({"schedule":{"every":"1s","at":"x"},"target":{}})", "schedule: must have exactly one of"},
      {R"({"schedule":{"cron":"61 * * * *"}})", "schedule.cron: "},
      {R"({"schedule":{"cron":5}})", "schedule.cron: must be a string"},
      {R"({"schedule":{"cron":"* * * * *","tz":"Mars/Base"}})", "schedule.tz: "},
      {R"({"schedule":{"cron":"* * * * *","dialect":"vixie"}})",
       "schedule.dialect: must be one of"},
      {R"({"schedule":{"every":"1s","tz":"UTC"}})", "schedule.tz: unknown field"},
      {R"({"schedule":{"every":"1s","anchor":"soon"}})", "schedule.anchor: "},
      {R"({"schedule":{"at":"tomorrow"}})", "schedule.at: "},
      {R"({"schedule":{"manual":false}})", "schedule.manual: must be true"},
  };
  for (const Refused& wrong : cases) {
    EXPECT_THAT(outcome(job_spec_from_json(json_of(wrong.json))), StartsWith(wrong.field))
        << wrong.json;
  }
}

TEST(JobCodec, ErrorsOfPoliciesNameThePathOfTheField) {
  const Refused cases[] = {
      {R"("colour":"red")", "colour: unknown field"},
      {R"("retry":[])", "retry: must be an object"},
      {R"("retry":{"attempts":3})", "retry.attempts: unknown field"},
      {R"("retry":{"backoff":{"base":2}})", "retry.backoff.base: unknown field"},
      {R"("retry":{"backoff":{"initial":"10s","max":"9s"}})",
       "retry.backoff.max: must be at least"},
      {R"("retry":{"max_age":"0s"})", "retry.max_age: must be at least 1ms"},
      {R"("timeout":30)", "timeout: must be a string"},
      {R"("timeout":"soon")", "timeout: "},
      {R"("timeout":null)", "timeout: must be a string, not null"},
      {R"("catch_up":{"policy":"some"})", "catch_up.policy: must be one of \"skip\""},
      {R"("overlap":{"policy":"wait"})", "overlap.policy: must be one of \"allow\""},
      {R"("on_unknown":"shrug")", "on_unknown: must be one of"},
      {R"("enabled":1)", "enabled: must be true or false"},
  };
  for (const Refused& wrong : cases) {
    EXPECT_THAT(outcome(job_spec_from_json(job_with(wrong.json))), StartsWith(wrong.field))
        << wrong.json;
  }
}

// The values on both sides of a limit; {} stands for them in the text.
struct Limit {
  const char* text;
  const char* inside;
  const char* outside;
};

std::string filled(std::string text, const char* value) {
  return text.replace(text.find("{}"), 2, value);
}

TEST(JobCodec, LimitsHoldToTheLastUnit) {
  const Limit cases[] = {
      {R"("timeout":"{}")", "1ms", "999us"},
      {R"("timeout":"{}")", "30d", "30d1us"},
      {R"("retry":{"max_attempts":{}})", "1", "0"},
      {R"("retry":{"max_attempts":{}})", "1000", "1001"},
      {R"("retry":{"max_attempts":{}})", "2", "2.5"},
      {R"("retry":{"backoff":{"factor":{}}})", "1", "0.99"},
      {R"("retry":{"backoff":{"factor":{}}})", "100", "100.1"},
      {R"("retry":{"backoff":{"jitter":{}}})", "0", "-0.01"},
      {R"("retry":{"backoff":{"jitter":{}}})", "1", "1.01"},
      {R"("retry":{"max_age":"{}"})", "36600d", "36600d1us"},
      {R"("catch_up":{"limit":{}})", "1", "0"},
      {R"("catch_up":{"limit":{}})", "10000", "10001"},
      {R"("overlap":{"limit":{}})", "1", "0"},
      {R"("overlap":{"limit":{}})", "10000", "10001"},
  };
  for (const Limit& limit : cases) {
    EXPECT_TRUE(job_spec_from_json(job_with(filled(limit.text, limit.inside))).ok()) << limit.text;
    EXPECT_FALSE(job_spec_from_json(job_with(filled(limit.text, limit.outside))).ok())
        << limit.text;
  }
}

TEST(JobCodec, PeriodsOfSchedulesHaveLimits) {
  for (const std::string& kind : {std::string("every"), std::string("fixed_delay")}) {
    const std::string text = "{\"" + kind + "\":\"{}\"}";
    const auto read = [&](const char* value) {
      return outcome(job_spec_from_json(job_with_schedule(filled(text, value))));
    };
    EXPECT_EQ(read("1ms"), "ok");
    EXPECT_THAT(read("999us"), StartsWith("schedule." + kind + ": must be at least 1ms"));
    EXPECT_EQ(read("36600d"), "ok");
    EXPECT_THAT(read("36600d1us"), StartsWith("schedule." + kind + ": must be at most 36600d"));
  }
}

TEST(JobCodec, DescriptionsHaveALimit) {
  const auto described = [](std::size_t bytes) {
    return job_with("\"description\":\"" + std::string(bytes, 'x') + "\"");
  };
  EXPECT_TRUE(job_spec_from_json(described(kMaxDescriptionBytes)).ok());
  EXPECT_FALSE(job_spec_from_json(described(kMaxDescriptionBytes + 1)).ok());
}

TEST(JobCodec, ALongFirstBackoffRaisesTheDefaultOfTheLargest) {
  const Json json = rewritten(job_with(R"("retry":{"backoff":{"initial":"1h"}})"));
  EXPECT_EQ(json["retry"]["backoff"]["max"], "1h");
}

TEST(JobCodec, AJobShowsItsSpecItsPlaceAndItsCounters) {
  Job job;
  job.app = "shop";
  job.name = "nightly";
  job.revision = 4;
  job.spec = std::make_shared<const JobSpec>(*job_spec_from_json(job_with("")));
  job.next_due = from_micros(250);
  job.counters = {.produced = 10, .succeeded = 4, .failed = 3, .cancelled = 1, .skipped = 1};
  const Json json = to_json(job);
  EXPECT_EQ(json["app"], "shop");
  EXPECT_EQ(json["name"], "nightly");
  EXPECT_EQ(json["revision"], 4);
  EXPECT_EQ(json["schedule"], json_of(R"({"manual":true})"));
  EXPECT_EQ(json["next_due"], "1970-01-01T00:00:00.000250Z");
  EXPECT_EQ(json["created_at"], "1970-01-01T00:00:00Z");
  EXPECT_EQ(json["state"], "active");
  EXPECT_EQ(json["counters"], json_of(R"({"produced":10,"live":1,"succeeded":4,"failed":3,
    "cancelled":1,"skipped":1})"));
}

TEST(JobCodec, AJobWithoutANextDueShowsNullAndADisabledOneIsPaused) {
  Job job;
  job.spec = std::make_shared<const JobSpec>(*job_spec_from_json(job_with(R"("enabled":false)")));
  EXPECT_TRUE(to_json(job)["next_due"].is_null());
  EXPECT_EQ(to_json(job)["state"], "paused");
}

}  // namespace
}  // namespace escapement::domain
