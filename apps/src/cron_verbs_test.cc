#include "cron_verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_testing.h"

namespace escapement::apps {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(CronNext, JsonIsOneArrayWithTheZonesOffset) {
  CliResult got = run({"cron", "next", "30 2 * * *", "--tz", "Europe/Berlin", "--from",
                       "2026-03-28T12:00:00Z", "--count", "2", "--json"});
  EXPECT_EQ(got.status, kExitFine);
  EXPECT_EQ(got.out, "[\"2026-03-29T03:00:00+02:00\",\"2026-03-30T02:30:00+02:00\"]\n");
  EXPECT_EQ(got.err, "");
}

TEST(CronNext, PeopleSeeTheWeekdayAndFromIsNow) {
  CliResult got = run({"cron", "next", "0 6 * * *", "--count", "2"});
  EXPECT_EQ(got.out, "Sun 2026-03-29T06:00:00+00:00\nMon 2026-03-30T06:00:00+00:00\n");
}

TEST(CronNext, CountIsFiveUnlessStated) {
  EXPECT_EQ(lines_of(run({"cron", "next", "* * * * *"}).out), 5U);
  EXPECT_EQ(run({"cron", "next", "* * * * *", "--count", "0"}).status, kExitUsage);
  EXPECT_EQ(run({"cron", "next", "* * * * *", "--count", "10001"}).status, kExitUsage);
  EXPECT_EQ(lines_of(run({"cron", "next", "* * * * *", "--count", "10000"}).out), 10'000U);
}

TEST(CronNext, TheDialectIsGuessedByTheNumberOfFields) {
  CliResult got = run({"cron", "next", "0 15 10 ? * 2", "--count", "1"});
  EXPECT_EQ(got.out, "Mon 2026-03-30T10:15:00+00:00\n");
  EXPECT_EQ(run({"cron", "next", "0 15 10 ? * 2", "--dialect", "unix"}).status, kExitUsage);
  EXPECT_EQ(run({"cron", "next", "* * * * *", "--dialect", "spring"}).status, kExitUsage);
}

TEST(CronNext, WhatNeverFiresIsAnEmptyArray) {
  EXPECT_EQ(run({"cron", "next", "0 0 30 2 *", "--json"}).out, "[]\n");
  EXPECT_EQ(run({"cron", "next", "0 0 0 1 1 ? 2099", "--json", "--tz", "UTC"}).out,
            "[\"2099-01-01T00:00:00+00:00\"]\n");
}

TEST(CronNext, BadInputIsOneLineAndTwo) {
  const std::vector<std::vector<std::string>> lines = {
      {"cron", "next", "61 * * * *"},
      {"cron", "next", ""},
      {"cron", "next", "a\nb * * * *"},
      {"cron", "next", "* * * * *", "--tz", "Mars/Base"},
      {"cron", "next", "* * * * *", "--from", "yesterday"},
      {"cron", "next", "* * * * *", "--count", "many"},
      {"cron", "next", "* * * * *", "--frmo", "2026-01-01T00:00:00Z"},
      {"cron", "next"},
      {"cron", "next", "* * * * *", "--batch"},
  };
  for (const auto& line : lines) {
    CliResult got = run(line);
    EXPECT_EQ(got.status, kExitUsage) << got.err;
    EXPECT_EQ(got.out, "");
    EXPECT_EQ(lines_of(got.err), 1U) << got.err;
  }
}

TEST(CronBatch, AnswersEachLineInOrder) {
  CliResult got =
      run({"cron", "next", "--batch"},
          {.in = R"({"dialect":"unix","expr":"0 0 * * *","tz":"UTC","from":"2026-01-01T00:00:00Z",)"
                 R"("count":1}
{"expr":"0 0 12 ? * *","from":"2026-01-01T00:00:00Z","count":1,"id":"mine"}
{"expr":"0 0 30 2 *"})"});
  EXPECT_EQ(got.status, kExitFine);
  EXPECT_EQ(got.out,
            "{\"next\":[\"2026-01-02T00:00:00+00:00\"]}\n"
            "{\"next\":[\"2026-01-01T12:00:00+00:00\"]}\n"
            "{\"next\":[]}\n");
}

TEST(CronBatch, BadLinesAreAnsweredAndEndNothing) {
  std::string in =
      "\n"
      "nonsense\n"
      "[]\n"
      "{\"expr\":5}\n"
      "{}\n"
      "{\"expr\":\"* * * * *\",\"tz\":\"Mars/Base\"}\n"
      "{\"expr\":\"* * * * *\",\"count\":10001}\n"
      "{\"expr\":\"* * * * *\",\"count\":1.5}\n"
      "{\"expr\":\"* * * * *\",\"expr\":\"* * * * *\"}\n"
      "{\"expr\":\"\\u0000\"}\n";
  in += "{\"expr\":\"" + std::string(kMaxBatchLineBytes, 'x') + "\"}\n";
  in += "\xff\xfe{\n" + std::string(5000, '[') + "\n";
  const std::size_t bad = lines_of(in);
  in += "{\"expr\":\"0 0 * * *\",\"count\":1}\n";
  CliResult got = run({"cron", "next", "--batch"}, {.in = in});
  EXPECT_EQ(got.status, kExitFine);
  std::istringstream lines(got.out);
  std::string line;
  for (std::size_t i = 0; i < bad; ++i) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_THAT(line, StartsWith("{\"error\":\"")) << i;
  }
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_EQ(line, "{\"next\":[\"2026-03-29T00:00:00+00:00\"]}");
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(CronExplain, SaysItInWordsWithFiresAndWarnings) {
  CliResult got = run({"cron", "explain", "30 2 * * *", "--tz", "Europe/Berlin"});
  EXPECT_EQ(got.status, kExitFine);
  EXPECT_THAT(got.out, HasSubstr("02:30"));
  EXPECT_THAT(got.out, HasSubstr("Sun 2026-03-29T03:00:00+02:00"));
  EXPECT_THAT(got.out, HasSubstr("warning: "));
}

TEST(CronExplain, JsonHasEverything) {
  CliResult got = run({"cron", "explain", "0 12 * * *", "--json"});
  Result<Json> json = parse_json(got.out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["next"].size(), 5U);
  EXPECT_EQ((*json)["dialect"], "unix");
  EXPECT_TRUE((*json)["warnings"].empty());
  EXPECT_TRUE((*json)["description"].is_string());
}

TEST(CronLint, WarnsWithZeroAndRefusesWithTwo) {
  CliResult warned = run({"cron", "lint", "0 0 1 * 1"});
  EXPECT_EQ(warned.status, kExitFine);
  EXPECT_THAT(warned.out, StartsWith("warning: "));
  CliResult fine = run({"cron", "lint", "0 12 * * *", "--json"});
  EXPECT_EQ(fine.status, kExitFine);
  EXPECT_TRUE((*parse_json(fine.out))["warnings"].empty());
  EXPECT_EQ(run({"cron", "lint", "0 0 * *"}).status, kExitUsage);
}

}  // namespace
}  // namespace escapement::apps
