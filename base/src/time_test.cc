#include "escapement/base/time.h"

#include <gtest/gtest.h>

#include <random>

namespace escapement {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

Instant instant(std::string_view text) {
  const Result<Instant> parsed = parse_instant(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Instant{};
}

Duration duration(std::string_view text) {
  const Result<Duration> parsed = parse_duration(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Duration{-1};
}

template <typename T>
std::string reason(const Result<T>& result) {
  return result.ok() ? "accepted" : result.error().message;
}

TEST(SaturatingAdd, ClampsToTheEndsOfTheRange) {
  EXPECT_EQ(saturating_add(from_micros(5), Duration{7}), from_micros(12));
  EXPECT_EQ(saturating_add(kNever, Duration{1}), kNever);
  EXPECT_EQ(saturating_add(from_micros(INT64_MAX - 1), Duration{5}), kNever);
  EXPECT_EQ(saturating_add(Instant::min(), Duration{-1}), Instant::min());
  EXPECT_EQ(saturating_add(kNeverElapsed, Duration::max()), kNeverElapsed);
  EXPECT_EQ(saturating_add(Elapsed{Duration{10}}, Duration{-4}), Elapsed{Duration{6}});
}

TEST(FormatInstant, LeavesAZeroFractionOutUnlessAsked) {
  const Instant whole = from_micros(1'774'747'800'000'000);
  EXPECT_EQ(format_instant(whole), "2026-03-29T01:30:00Z");
  EXPECT_EQ(format_instant(whole, true), "2026-03-29T01:30:00.000000Z");
  EXPECT_EQ(format_instant(whole + Duration{250}), "2026-03-29T01:30:00.000250Z");
}

TEST(FormatInstant, CountsBackwardsBeforeTheEpoch) {
  EXPECT_EQ(format_instant(from_micros(-1)), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_instant(from_micros(0)), "1970-01-01T00:00:00Z");
}

TEST(FormatInstant, ClampsToFourDigitYears) {
  EXPECT_EQ(format_instant(kNever), "9999-12-31T23:59:59.999999Z");
  EXPECT_EQ(format_instant(Instant::min()), "0000-01-01T00:00:00Z");
}

TEST(ParseInstant, ReadsWhatRfc3339Allows) {
  const Instant at = from_micros(1'774'747'800'000'000);
  EXPECT_EQ(instant("2026-03-29T01:30:00Z"), at);
  EXPECT_EQ(instant("2026-03-29 01:30:00Z"), at);
  EXPECT_EQ(instant("2026-03-29t01:30:00z"), at);
  EXPECT_EQ(instant("2026-03-29T03:30:00+02:00"), at);
  EXPECT_EQ(instant("2026-03-28T20:00:00-05:30"), at);
  EXPECT_EQ(instant("2026-03-29T01:30:00-00:00"), at);
  EXPECT_EQ(instant("2026-03-29T01:30:00.5Z"), at + milliseconds{500});
  EXPECT_EQ(instant("2026-03-29T01:30:00.000250Z"), at + Duration{250});
}

TEST(ParseInstant, KnowsLeapDays) {
  EXPECT_EQ(instant("2024-02-29T00:00:00Z") + hours{24}, instant("2024-03-01T00:00:00Z"));
  EXPECT_FALSE(parse_instant("2025-02-29T00:00:00Z").ok());
  EXPECT_FALSE(parse_instant("1900-02-29T00:00:00Z").ok());
  EXPECT_TRUE(parse_instant("2000-02-29T00:00:00Z").ok());
}

TEST(ParseInstant, RefusesEverythingElseWithItsReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "the date must be"},
      {"2026-3-29T01:30:00Z", "the date must be"},
      {"+026-03-29T01:30:00Z", "the date must be"},
      {"2026-13-01T01:30:00Z", "no such day"},
      {"2026-04-31T01:30:00Z", "no such day"},
      {"2026-03-00T01:30:00Z", "no such day"},
      {"2026-03-29", "T or a space"},
      {"2026-03-29T01:30Z", "the time must be"},
      {"2026-03-29T24:00:00Z", "no such time of day"},
      {"2026-03-29T01:60:00Z", "no such time of day"},
      {"2026-03-29T23:59:60Z", "no such time of day"},
      {"2026-03-29T01:30:00.Z", "a digit must follow"},
      {"2026-03-29T01:30:00.1234567Z", "at most 6 fraction digits"},
      {"2026-03-29T01:30:00.0000000Z", "at most 6 fraction digits"},
      {"2026-03-29T01:30:00", "must end in Z"},
      {"2026-03-29T01:30:00+2", "must end in Z"},
      {"2026-03-29T01:30:00+24:00", "no such offset"},
      {"2026-03-29T01:30:00Z ", "nothing may follow"},
      {"0000-01-01T00:00:00+00:01", "outside the years"},
      {"9999-12-31T23:59:59-00:01", "outside the years"},
  };
  for (const auto& [text, why] : cases) {
    const Result<Instant> parsed = parse_instant(text);
    EXPECT_NE(reason(parsed).find(why), std::string::npos) << text << " -> " << reason(parsed);
  }
}

TEST(ParseInstant, ReadsBackWhatFormatWrites) {
  std::mt19937_64 random(20260329);
  const std::int64_t first = to_micros(instant("0000-01-01T00:00:00Z"));
  const std::int64_t last = to_micros(instant("9999-12-31T23:59:59.999999Z"));
  std::uniform_int_distribution<std::int64_t> any(first, last);
  for (int i = 0; i < 20'000; ++i) {
    const Instant at = from_micros(any(random));
    ASSERT_EQ(instant(format_instant(at, i % 2 == 0)), at);
  }
}

TEST(ParseDuration, AddsItsTerms) {
  EXPECT_EQ(duration("1h30m"), minutes{90});
  EXPECT_EQ(duration("250ms"), milliseconds{250});
  EXPECT_EQ(duration("1.5s"), milliseconds{1500});
  EXPECT_EQ(duration("90s"), seconds{90});
  EXPECT_EQ(duration("0s"), Duration::zero());
  EXPECT_EQ(duration("2d"), hours{48});
  EXPECT_EQ(duration("1d2h3m4s5ms6us"),
            hours{26} + minutes{3} + seconds{4} + milliseconds{5} + Duration{6});
  EXPECT_EQ(duration("0.5h0.5m"), minutes{30} + seconds{30});
}

TEST(ParseDuration, FractionsAreExactOrRefused) {
  EXPECT_EQ(duration("0.000001s"), Duration{1});
  EXPECT_EQ(duration("1.50000000000000000000s"), milliseconds{1500});
  EXPECT_EQ(duration("0.00000003125d"), Duration{2'700});
  EXPECT_NE(reason(parse_duration("0.0000001s")).find("finer"), std::string::npos);
  EXPECT_NE(reason(parse_duration("0.5us")).find("finer"), std::string::npos);
  EXPECT_NE(reason(parse_duration("1.0000005s")).find("finer"), std::string::npos);
}

TEST(ParseDuration, GoesToTheEndOfTheRangeAndNoFurther) {
  EXPECT_EQ(duration("9223372036854775807us"), Duration::max());
  EXPECT_EQ(duration("9223372036854775806us1us"), Duration::max());
  for (const char* text : {"9223372036854775808us", "9223372036854775807us1us", "106751992d",
                           "99999999999999999999999d", "106751991d23h"}) {
    EXPECT_NE(reason(parse_duration(text)).find("longer than"), std::string::npos) << text;
  }
}

TEST(ParseDuration, RefusesEverythingElseWithItsReason) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "empty"},
      {"-1s", "negative"},
      {"+1s", "a number must stand"},
      {"s", "a number must"},
      {"1", "the units are"},
      {"1y", "the units are"},
      {"1 s", "the units"},
      {"1s ", "a number must"},
      {"1.s", "a digit must follow"},
      {".5s", "a number must"},
      {"1,5s", "the units"},
      {"1S", "the units are"},
      {"1h30", "the units"},
      {"0x1s", "the units"},
      {"1e3s", "the units are"},
  };
  for (const auto& [text, why] : cases) {
    const Result<Duration> parsed = parse_duration(text);
    EXPECT_NE(reason(parsed).find(why), std::string::npos) << text << " -> " << reason(parsed);
  }
}

TEST(ParseDuration, CutsLongInputShortInItsMessage) {
  const std::string text(100'000, '7');
  EXPECT_LT(reason(parse_duration(text)).size(), 200u);
}

TEST(FormatDuration, WritesTheLargestUnitsFirst) {
  EXPECT_EQ(format_duration(minutes{90}), "1h30m");
  EXPECT_EQ(format_duration(Duration::zero()), "0s");
  EXPECT_EQ(format_duration(milliseconds{250}), "250ms");
  EXPECT_EQ(format_duration(milliseconds{1500}), "1.5s");
  EXPECT_EQ(format_duration(hours{24}), "1d");
  EXPECT_EQ(format_duration(Duration{1}), "1us");
  EXPECT_EQ(format_duration(Duration{1'001}), "1.001ms");
  EXPECT_EQ(format_duration(minutes{1} + Duration{1'000'010}), "1m1.00001s");
  EXPECT_EQ(format_duration(-minutes{90}), "-1h30m");
  EXPECT_EQ(format_duration(Duration::min()), "-106751991d4h54.775808s");
}

TEST(FormatDuration, IsReadBackToTheSameValue) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 20'000; ++i) {
    // A random number of bits, so that every magnitude occurs.
    const Duration value{static_cast<std::int64_t>(random() >> (1 + random() % 63))};
    ASSERT_EQ(duration(format_duration(value)), value) << format_duration(value);
  }
  EXPECT_EQ(duration(format_duration(Duration::max())), Duration::max());
}

}  // namespace
}  // namespace escapement
