#include "escapement/calendar/zone.h"

#include <gtest/gtest.h>

#include "naive_cron.h"
#include "system_zone.h"

namespace escapement::calendar {
namespace {

Zone zone_of(const char* name) { return *Zone::load(name); }

std::chrono::local_seconds local(const Civil& civil) { return from_civil(civil); }

Instant at_second(std::int64_t second) { return from_micros(second * 1'000'000); }

TEST(Zone, OffsetsAgreeWithTheCLibrary) {
  naive::Random random(7);
  for (const char* name : naive::kTestZones) {
    const naive::SystemZone system(name);
    const Zone zone = zone_of(name);
    for (int round = 0; round < 5'000; ++round) {
      // 1800 to 3500: before the first transition, and beyond the 400 years of the table.
      const auto second =
          std::uniform_int_distribution<std::int64_t>(-5364662400, 48282220800)(random);
      ASSERT_EQ(zone.stretch_at(second).offset, system.offset_at(second)) << name << ' ' << second;
    }
  }
}

TEST(Zone, StretchesJoinWithoutHoles) {
  for (const char* name : naive::kTestZones) {
    const Zone zone = zone_of(name);
    std::int64_t second = -5364662400;
    Stretch stretch = zone.stretch_at(second);
    for (int count = 0; count < 2'000 && stretch.to < kEnd; ++count) {
      const Stretch next = zone.stretch_at(stretch.to);
      ASSERT_EQ(next.from, stretch.to) << name;
      ASSERT_EQ(next.offset_before, stretch.offset) << name;
      ASSERT_NE(next.offset, stretch.offset) << name;
      ASSERT_EQ(zone.stretch_at(stretch.to - 1).from, stretch.from) << name;
      stretch = next;
    }
  }
}

TEST(Zone, LocalTimesAreUniqueSkippedOrRepeated) {
  const Zone zone = zone_of("America/New_York");
  const LocalLookup unique = zone.resolve(local({2024, 1, 1, 12, 0, 0}));
  EXPECT_EQ(unique.kind, LocalKind::unique);
  EXPECT_EQ(unique.before, at_second(1704128400));
  EXPECT_EQ(unique.before, unique.after);
  const LocalLookup skipped = zone.resolve(local({2024, 3, 10, 2, 30, 0}));
  EXPECT_EQ(skipped.kind, LocalKind::skipped);
  EXPECT_EQ(skipped.transition, at_second(1710054000));
  EXPECT_EQ(skipped.before - skipped.transition, Duration{std::chrono::minutes{30}});
  EXPECT_EQ(skipped.transition - skipped.after, Duration{std::chrono::minutes{30}});
  const LocalLookup repeated = zone.resolve(local({2024, 11, 3, 1, 30, 0}));
  EXPECT_EQ(repeated.kind, LocalKind::repeated);
  EXPECT_EQ(repeated.after - repeated.before, Duration{std::chrono::hours{1}});
}

TEST(Zone, ADayThatNeverWasIsSkipped) {
  const LocalLookup lookup = zone_of("Pacific/Apia").resolve(local({2011, 12, 30, 12, 0, 0}));
  EXPECT_EQ(lookup.kind, LocalKind::skipped);
  EXPECT_EQ(lookup.before - lookup.after, Duration{std::chrono::hours{24}});
}

TEST(Zone, TransitionsAreStrictlyAfterAndBefore) {
  const Zone zone = zone_of("Europe/Berlin");
  const Instant spring = at_second(1711846800);  // 2024-03-31T01:00:00Z
  EXPECT_EQ(zone.next_transition(spring - Duration{1})->at, spring);
  EXPECT_GT(zone.next_transition(spring)->at, spring);
  EXPECT_LT(zone.previous_transition(spring)->at, spring);
  EXPECT_EQ(zone.previous_transition(spring + Duration{1})->at, spring);
  EXPECT_EQ(zone.next_transition(spring - Duration{1})->offset_after, std::chrono::hours{2});
  EXPECT_FALSE(Zone().next_transition(spring).has_value());
  EXPECT_FALSE(zone.previous_transition(at_second(-5364662400)).has_value());
}

TEST(Zone, UnsettledAndSettledZonesSaySo) {
  EXPECT_EQ(Zone().settled_year(), 0);
  EXPECT_LE(zone_of("America/New_York").settled_year(), 2039);
  EXPECT_GE(zone_of("America/New_York").settled_year(), 2007);
}

TEST(Zone, NamesThatAreNoZonesAreRefused) {
  for (const char* name :
       {"", "localtime", "../UTC", "../../etc/passwd", "/etc/localtime", "Europe", "Europe/",
        "Europe//Berlin", "Europe/Nowhere", "right/UTC", "zone.tab", "posix/UTC", "Europe/Ber\nlin",
        "file:UTC", "Fixed/UTC+01:00:00"}) {
    const auto zone = Zone::load(name);
    ASSERT_FALSE(zone.ok()) << name;
    EXPECT_EQ(zone.error().code, ErrorCode::invalid);
  }
  EXPECT_EQ(
      Zone::load("Mars/\x1b[1m").error().message,
      "time zone: \"Mars/?[1m\" is unknown; allowed are IANA names such as Europe/Berlin, and "
      "UTC");
}

TEST(Zone, LoadingTwiceGivesTheSameZone) {
  EXPECT_EQ(zone_of("Asia/Tehran"), zone_of("Asia/Tehran"));
  EXPECT_FALSE(zone_of("Asia/Tehran") == zone_of("Asia/Tokyo"));
  EXPECT_EQ(zone_of("UTC"), Zone());
  EXPECT_EQ(zone_of("America/Argentina/Buenos_Aires").name(), "America/Argentina/Buenos_Aires");
}

TEST(Zone, LocalTextCarriesTheOffset) {
  EXPECT_EQ(format_local(at_second(1711846800), zone_of("Europe/Berlin")),
            "2024-03-31T03:00:00+02:00");
  EXPECT_EQ(format_local(from_micros(-1), Zone()), "1969-12-31T23:59:59.999999+00:00");
  EXPECT_EQ(format_local(at_second(0), zone_of("America/St_Johns")), "1969-12-31T20:30:00-03:30");
  EXPECT_EQ(format_local(at_second(-5364662400), zone_of("America/New_York")),
            "1799-12-31T19:03:58-04:56:02");
}

TEST(Zone, CivilTimesRoundTrip) {
  for (const Civil& civil :
       {Civil{1969, 12, 31, 23, 59, 59}, Civil{2000, 2, 29, 0, 0, 0}, Civil{1, 1, 1, 0, 0, 0},
        Civil{-400, 3, 1, 12, 30, 1}, Civil{2400, 2, 29, 6, 7, 8}}) {
    EXPECT_EQ(to_civil(from_civil(civil)), civil);
  }
}

TEST(Zone, TheEndsOfTimeAreHarmless) {
  for (const char* name : naive::kTestZones) {
    const Zone zone = zone_of(name);
    for (const Instant at : {Instant::min(), Instant::max()}) {
      EXPECT_FALSE(format_local(at, zone).empty());
      zone.next_transition(at);
      zone.previous_transition(at);
    }
    EXPECT_EQ(zone.resolve(std::chrono::local_seconds::max()).kind, LocalKind::unique);
    EXPECT_EQ(zone.resolve(std::chrono::local_seconds::min()).kind, LocalKind::unique);
  }
}

}  // namespace
}  // namespace escapement::calendar
