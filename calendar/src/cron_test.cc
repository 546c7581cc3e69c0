#include "escapement/calendar/cron.h"

#include <gtest/gtest.h>

#include <vector>

#include "fire.h"

namespace escapement::calendar {
namespace {

Zone zone_of(const char* name) { return *Zone::load(name); }

Cron unix_cron(const char* text, const char* zone = "UTC") {
  auto cron = Cron::parse(text, Dialect::kUnix, zone_of(zone));
  EXPECT_TRUE(cron.ok()) << text;
  return *cron;
}

Cron quartz_cron(const char* text, const char* zone = "UTC") {
  auto cron = Cron::parse(text, Dialect::kQuartz, zone_of(zone));
  EXPECT_TRUE(cron.ok()) << text << ": " << (cron.ok() ? "" : cron.error().message);
  return *cron;
}

Instant utc(const Civil& civil) { return Instant{Duration{from_civil(civil).time_since_epoch()}}; }

std::string text_of(std::optional<Instant> at, const Cron& cron) {
  return at ? format_local(*at, cron.zone()) : "never";
}

TEST(Cron, AnswersAreStrictlyAfterAndBefore) {
  const Cron cron = unix_cron("*/15 * * * *");
  const Instant fire = utc({2024, 1, 1, 0, 15, 0});
  EXPECT_EQ(cron.next(fire - Duration{1}), fire);
  EXPECT_EQ(cron.next(fire), utc({2024, 1, 1, 0, 30, 0}));
  EXPECT_EQ(cron.previous(fire + Duration{1}), fire);
  EXPECT_EQ(cron.previous(fire), utc({2024, 1, 1, 0, 0, 0}));
}

TEST(Cron, WorksBefore1970AndFarAfter2037) {
  const Cron cron = unix_cron("30 2 29 2 *", "Europe/Berlin");
  EXPECT_EQ(text_of(cron.next(utc({1899, 1, 1})), cron), "1904-02-29T02:30:00+01:00");
  EXPECT_EQ(text_of(cron.next(utc({2897, 1, 1})), cron), "2904-02-29T02:30:00+01:00");
  EXPECT_EQ(text_of(cron.previous(utc({1704, 1, 1})), cron), "1696-02-29T02:30:00+00:53:28");
  const Cron summer = unix_cron("0 12 1 7 *", "America/New_York");
  EXPECT_EQ(text_of(summer.next(utc({5000, 1, 1})), summer), "5000-07-01T12:00:00-04:00");
}

TEST(Cron, TheEndsOfTimeAreHarmless) {
  for (const char* zone : {"UTC", "Pacific/Apia", "America/New_York"}) {
    for (const char* text : {"* * * * *", "0 0 29 2 */6", "0 0 31 2 *", "@every 8784h"}) {
      const Cron cron = unix_cron(text, zone);
      EXPECT_FALSE(cron.next(Instant::max()).has_value());
      EXPECT_FALSE(cron.previous(Instant::min()).has_value());
      cron.next(Instant::min());
      cron.previous(Instant::max());
    }
  }
  const Cron every_second = quartz_cron("* * * * * ?");
  EXPECT_EQ(every_second.next(Instant::min()), utc({1970, 1, 1}));
  EXPECT_EQ(every_second.previous(Instant::max()), utc({2099, 12, 31, 23, 59, 59}));
}

TEST(Cron, DaylightSavingTableOfNewYork) {
  const auto next = [](const char* text, const Civil& from) {
    const Cron cron = unix_cron(text, "America/New_York");
    return text_of(cron.next(utc(from)), cron);
  };
  EXPECT_EQ(next("30 2 * * *", {2024, 3, 10, 6}), "2024-03-10T03:00:00-04:00");
  EXPECT_EQ(next("30 1 * * *", {2024, 11, 3, 5}), "2024-11-03T01:30:00-04:00");
  EXPECT_EQ(next("30 1 * * *", {2024, 11, 3, 5, 30}), "2024-11-04T01:30:00-05:00");
  EXPECT_EQ(next("*/15 * * * *", {2024, 11, 3, 5, 45}), "2024-11-03T01:00:00-05:00");
}

TEST(Cron, StrangeTransitions) {
  const auto next = [](const char* text, const char* zone, const Civil& from) {
    const Cron cron = unix_cron(text, zone);
    return text_of(cron.next(utc(from)), cron);
  };
  // The clocks of St John's went back at 00:01, to the day before.
  EXPECT_EQ(next("30 23 * * *", "America/St_Johns", {2010, 11, 7, 2, 30}),
            "2010-11-07T23:30:00-03:30");
  // Half an hour, 02:00 to 02:30.
  EXPECT_EQ(next("15 2 * * *", "Australia/Lord_Howe", {2024, 10, 5, 15}),
            "2024-10-06T02:30:00+11:00");
  // Samoa had no 30 December 2011.
  EXPECT_EQ(next("0 12 * * *", "Pacific/Apia", {2011, 12, 29, 23}), "2011-12-31T12:00:00+14:00");
  EXPECT_EQ(next("0 12 30 12 *", "Pacific/Apia", {2011, 12, 1}), "2012-12-30T12:00:00+14:00");
  // Iran gave up daylight saving after 2022.
  EXPECT_EQ(next("30 0 22 3 *", "Asia/Tehran", {2022, 3, 1}), "2022-03-22T01:00:00+04:30");
  EXPECT_EQ(next("30 0 22 3 *", "Asia/Tehran", {2023, 3, 1}), "2023-03-22T00:30:00+03:30");
}

TEST(Cron, CollapsesSeveralMissedTimesIntoOneFire) {
  const Cron cron = unix_cron("0,15,30 2,3 * * *", "Europe/Berlin");
  const auto first = cron.next(utc({2024, 3, 31, 0, 59, 59}));
  EXPECT_EQ(text_of(first, cron), "2024-03-31T03:00:00+02:00");
  EXPECT_EQ(text_of(cron.next(*first), cron), "2024-03-31T03:15:00+02:00");
  EXPECT_EQ(text_of(cron.previous(*first), cron), "2024-03-30T03:30:00+01:00");
}

TEST(Cron, DayFieldsOfUnixMatchEitherUnlessOneIsAStar) {
  const Cron either = unix_cron("0 0 13 * FRI");
  EXPECT_EQ(either.next(utc({2024, 9, 1})), utc({2024, 9, 6}));
  EXPECT_EQ(either.next(utc({2024, 9, 6})), utc({2024, 9, 13}));
  const Cron both = unix_cron("0 0 */2 * FRI");
  EXPECT_EQ(both.next(utc({2024, 9, 1})), utc({2024, 9, 13}));
  const Cron quartz = quartz_cron("0 0 0 13 * FRI");
  EXPECT_EQ(quartz.next(utc({2024, 9, 13})), utc({2024, 12, 13}));
}

TEST(Cron, QuartzRangesWrap) {
  const Cron night = quartz_cron("0 0 22-2 * * ?");
  EXPECT_EQ(night.next(utc({2024, 1, 1, 23})), utc({2024, 1, 2, 0}));
  EXPECT_EQ(night.next(utc({2024, 1, 1, 2})), utc({2024, 1, 1, 22}));
  const Cron weekend = quartz_cron("0 0 0 ? * FRI-MON");
  EXPECT_EQ(weekend.next(utc({2024, 1, 1})), utc({2024, 1, 5}));
  const Cron winter = quartz_cron("0 0 0 1 NOV-FEB/2 ?");
  EXPECT_EQ(winter.next(utc({2024, 1, 1})), utc({2024, 11, 1}));
  EXPECT_EQ(winter.previous(utc({2024, 11, 1})), utc({2024, 1, 1}));
}

TEST(Cron, SundayHasTwoNumbersInUnix) {
  for (const char* text : {"0 0 * * 0", "0 0 * * 7", "0 0 * * SUN", "0 0 * * sun", "0 0 * * */7"}) {
    EXPECT_EQ(unix_cron(text).next(utc({2024, 1, 1})), utc({2024, 1, 7})) << text;
  }
  EXPECT_EQ(unix_cron("0 0 * * 5-7").next(utc({2024, 1, 6})), utc({2024, 1, 7}));
  EXPECT_EQ(unix_cron("0 0 * * 1/2").next(utc({2024, 1, 5})), utc({2024, 1, 8}));
}

TEST(Cron, EveryCountsFromTheSecondOfTheInstant) {
  const Cron cron = unix_cron("@every 1h30m");
  EXPECT_EQ(cron.every(), Duration{std::chrono::minutes{90}});
  EXPECT_FALSE(cron.fixed());
  EXPECT_EQ(cron.next(utc({2024, 1, 1}) + Duration{5}), utc({2024, 1, 1, 1, 30}));
  EXPECT_EQ(cron.previous(utc({2024, 1, 1, 1, 30})), utc({2024, 1, 1}));
  EXPECT_FALSE(unix_cron("@daily").every().has_value());
}

TEST(Cron, KnowsFixedFromWildcard) {
  for (const char* text : {"30 2 * * *", "0,30 1-5 * * *", "10-50/10 3 * * *", "@daily"}) {
    EXPECT_TRUE(unix_cron(text).fixed()) << text;
  }
  for (const char* text :
       {"* 2 * * *", "*/5 2 * * *", "5/10 2 * * *", "0 * * * *", "0 1,*/6 * * *"}) {
    EXPECT_FALSE(unix_cron(text).fixed()) << text;
  }
  EXPECT_FALSE(quartz_cron("0/30 0 2 * * ?").fixed());
}

TEST(Cron, KeepsWhatItWasMadeFrom) {
  const Cron cron = quartz_cron(" 0 0 12 ? * MON ", "Asia/Tokyo");
  EXPECT_EQ(cron.text(), " 0 0 12 ? * MON ");
  EXPECT_EQ(cron.dialect(), Dialect::kQuartz);
  EXPECT_EQ(cron.zone().name(), "Asia/Tokyo");
}

TEST(Cron, DialectsHaveNamesAndAreGuessedByTheirFields) {
  EXPECT_EQ(to_string(*dialect_from_name("unix")), "unix");
  EXPECT_EQ(to_string(*dialect_from_name("quartz")), "quartz");
  EXPECT_EQ(dialect_from_name("spring").error().message,
            "dialect: \"spring\" is unknown; allowed are unix and quartz");
  EXPECT_EQ(guess_dialect("* * * * *"), Dialect::kUnix);
  EXPECT_EQ(guess_dialect("0 * * * * ?"), Dialect::kQuartz);
  EXPECT_EQ(guess_dialect("0 0 0 1 1 ? 2030"), Dialect::kQuartz);
  EXPECT_EQ(guess_dialect("@every 5s"), Dialect::kUnix);
}

// Counts steps instead of time: the widest search anybody can ask for.
TEST(CronWork, NoInputWalksFar) {
  struct Case {
    const char* text;
    bool quartz;
    bool fires;
  };
  const Case cases[] = {
      {"0 0 31 2 *", false, false},      {"0 0 30 2 */7", false, false},
      {"0 0 29 2 */6", false, true},     {"*/10 2 8-14 3 */7", false, false},
      {"0 0 0 29 2 7", true, true},      {"0 0 0 L-30 2 ?", true, false},
      {"0 0 0 15 * 1#1", true, false},   {"0 0 0 31 * 2 1971/29", true, true},
      {"0 */10 2 ? 3 1#2", true, false}, {"0 0 0 29 2 1#5 1970,2099", true, false},
  };
  for (const Case& each : cases) {
    const Cron cron = each.quartz ? quartz_cron(each.text, "America/New_York")
                                  : unix_cron(each.text, "America/New_York");
    for (const std::int64_t start :
         {INT64_C(1800000000), INT64_C(4000000000), INT64_C(33000000000)}) {
      Work forward;
      const auto next = first_fire(cron.rule(), cron.zone(), start, forward);
      EXPECT_TRUE(each.fires || !next) << each.text;
      Work backward;
      last_fire(cron.rule(), cron.zone(), start, backward);
      for (const Work& work : {forward, backward}) {
        EXPECT_LE(work.years, 300) << each.text << " from " << start;
        EXPECT_LE(work.months, 1600) << each.text << " from " << start;
        EXPECT_LE(work.stretches, 300) << each.text << " from " << start;
      }
    }
  }
}

TEST(CronWork, ImpossibleDatesCostNoSearchAtAll) {
  for (const char* text : {"0 0 31 2 *", "0 0 31 4,6,9,11 *", "0 0 30 2 */7"}) {
    Work work;
    EXPECT_FALSE(first_fire(unix_cron(text).rule(), Zone(), 0, work).has_value());
    EXPECT_EQ(work.months + work.years, 0) << text;
  }
}

// A job that lives in the gap only: the shortened search must find what lies before the settled
// years, and agree with the long way.
TEST(CronWork, TheShortenedSearchMissesNothing) {
  const Cron cron = unix_cron("*/10 2 8-14 3 */7", "America/New_York");
  EXPECT_EQ(text_of(cron.previous(utc({2800, 1, 1})), cron), "2006-03-12T02:50:00-05:00");
  EXPECT_EQ(text_of(cron.previous(utc({2390, 1, 1})), cron), "2006-03-12T02:50:00-05:00");
  EXPECT_EQ(text_of(cron.previous(utc({2050, 1, 1})), cron), "2006-03-12T02:50:00-05:00");
  EXPECT_EQ(text_of(cron.next(utc({2006, 3, 13})), cron), "never");
}

}  // namespace
}  // namespace escapement::calendar
