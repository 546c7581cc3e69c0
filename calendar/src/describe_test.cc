#include "escapement/calendar/describe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace escapement::calendar {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Cron cron_of(const char* text, const char* zone = "UTC") {
  auto cron = Cron::parse(text, guess_dialect(text), *Zone::load(zone));
  EXPECT_TRUE(cron.ok()) << text;
  return *cron;
}

const Instant kSummer2024 = from_micros(INT64_C(1'719'792'000'000'000));  // 2024-07-01

std::vector<std::string> warnings(const char* text, const char* zone = "UTC") {
  return lint(cron_of(text, zone), kSummer2024);
}

TEST(Describe, CommonShapesReadWell) {
  EXPECT_EQ(describe(cron_of("30 2 * * 1-5", "Europe/Berlin")),
            "at 02:30 on Monday to Friday, Europe/Berlin time");
  const std::pair<const char*, const char*> cases[] = {
      {"* * * * *", "every minute, UTC"},
      {"*/15 * * * *", "every 15 minutes, UTC"},
      {"0 * * * *", "every hour on the hour, UTC"},
      {"5 * * * *", "every hour at 5 minutes past the hour, UTC"},
      {"0 */2 * * *", "every 2 hours, UTC"},
      {"30 */6 * * *", "at 00:30, 06:30, 12:30 and 18:30 every day, UTC"},
      {"@daily", "at 00:00 every day, UTC"},
      {"@yearly", "at 00:00 on day 1 of the month in January, UTC"},
      {"0 9,17 * * 6,0", "at 09:00 and 17:00 on Saturday and Sunday, UTC"},
      {"*/15 9-17 * * MON-FRI",
       "every 15 minutes between 09:00 and 17:45 on Monday to Friday, UTC"},
      {"0 9-17 * * *", "every hour on the hour between 09:00 and 17:00, UTC"},
      {"*/7 * * * *", "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour, UTC"},
      {"0 0 13 * FRI", "at 00:00 on day 13 of the month or on Friday, UTC"},
      {"0 0 */10 * FRI",
       "at 00:00 on days 1, 11, 21 and 31 of the month if that is also Friday, UTC"},
      {"0 0 1,15 6-8 *", "at 00:00 on days 1 and 15 of the month in June to August, UTC"},
      {"* 2,14 * * *", "every minute during the hours 02 and 14, UTC"},
      {"0 12 * 12 *", "at 12:00 every day in December, UTC"},
      {"@every 90s", "every 1 minute and 30 seconds"},
      {"@every 1h", "every 1 hour"},
  };
  for (const auto& [text, words] : cases) EXPECT_EQ(describe(cron_of(text)), words) << text;
}

TEST(Describe, QuartzLettersReadWell) {
  const std::pair<const char*, const char*> cases[] = {
      {"0 0 12 L * ?", "at 12:00 on the last day of the month, UTC"},
      {"0 0 12 L-3 * ?", "at 12:00 on the day 3 days before the last day of the month, UTC"},
      {"0 0 12 LW * ?", "at 12:00 on the last weekday (Monday to Friday) of the month, UTC"},
      {"0 0 12 15W * ?",
       "at 12:00 on the weekday (Monday to Friday) nearest to day 15 of the month, UTC"},
      {"0 0 12 ? * 6L", "at 12:00 on the last Friday of the month, UTC"},
      {"0 0 12 ? * 6#3", "at 12:00 on the 3rd Friday of the month, UTC"},
      {"15 30 2 ? * MON", "at 02:30:15 on Monday, UTC"},
      {"* * * * * ?", "every second, UTC"},
      {"*/10 * * * * ?", "every 10 seconds, UTC"},
      {"5 * * * * ?", "at second 5 of every minute, UTC"},
      {"0 0 0 1 1 ? 2030", "at 00:00 on day 1 of the month in January 2030, UTC"},
      {"0 0 0 * * ? 2030-2032,2040", "at 00:00 in 2030 to 2032 and 2040, UTC"},
      {"*/5 0/20 8-9 * * ?",
       "every 5 seconds of minutes 0, 20 and 40 of every hour between 08:00:00 and 09:40:55, UTC"},
  };
  for (const auto& [text, words] : cases) EXPECT_EQ(describe(cron_of(text)), words) << text;
}

TEST(Lint, AFixedTimeInAGapIsNamedWithItsDate) {
  EXPECT_THAT(
      warnings("30 2 * * *", "America/New_York"),
      ElementsAre("02:30 does not exist on 2025-03-09 in America/New_York, where the clocks "
                  "go forward from 02:00 to 03:00: it fires at 03:00 instead"));
}

TEST(Lint, AFixedTimeInAnOverlapIsNamedWithItsDate) {
  EXPECT_THAT(warnings("30 1 * * *", "America/New_York"),
              ElementsAre("01:30 happens twice on 2024-11-03 in America/New_York, where the clocks "
                          "go back from 02:00 to 01:00: it fires only the first time"));
}

TEST(Lint, ARareDateInAGapIsFoundYearsAhead) {
  EXPECT_THAT(
      warnings("30 2 31 3 *", "Europe/Berlin"),
      ElementsAre("02:30 does not exist on 2030-03-31 in Europe/Berlin, where the clocks go "
                  "forward from 02:00 to 03:00: it fires at 03:00 instead"));
}

TEST(Lint, AnOmittedDayIsNotMadeUp) {
  const Instant before = from_micros(INT64_C(1'322'697'600'000'000));  // 2011-12-01
  EXPECT_THAT(lint(cron_of("0 12 30 12 *", "Pacific/Apia"), before),
              ElementsAre("12:00 does not exist on 2011-12-30 in Pacific/Apia, where the clocks go "
                          "forward from 2011-12-30 00:00 to 2011-12-31 00:00: nothing fires in its "
                          "place, because the gap is 3 hours or longer"));
}

TEST(Lint, HarmlessExpressionsGetNoWarning) {
  EXPECT_THAT(warnings("*/15 * * * *", "America/New_York"), IsEmpty());
  EXPECT_THAT(warnings("0 12 * * *", "America/New_York"), IsEmpty());
  EXPECT_THAT(warnings("30 2 * * *"), IsEmpty());
  EXPECT_THAT(warnings("0 0 12 L * ?"), IsEmpty());
}

TEST(Lint, DatesThatNeverComeAreNamed) {
  EXPECT_THAT(warnings("0 0 31 2 *"), ElementsAre("it never fires: 31 February does not exist"));
  EXPECT_THAT(warnings("0 0 31 2,4 *"), ElementsAre("it never fires: no month has such a day"));
  EXPECT_THAT(warnings("0 0 0 15 * 1#1"), ElementsAre("it never fires: no month has such a day"));
  EXPECT_THAT(warnings("0 0 0 1 1 ? 2019"),
              ElementsAre("it never fires again: all of its dates are past"));
  EXPECT_THAT(warnings("*/10 2 8-14 3 */7", "America/New_York"),
              ElementsAre("it never fires again: all of its dates are past"));
}

TEST(Lint, BothDayFieldsAreExplained) {
  EXPECT_THAT(warnings("0 12 13 * FRI"),
              ElementsAre("day of month and day of week are both restricted: it fires when either "
                          "matches"));
  EXPECT_THAT(warnings("0 12 */2 * FRI"),
              ElementsAre("a day field that begins with * counts as unrestricted, so day of month "
                          "and day of week must both match, as in cronie"));
  EXPECT_THAT(warnings("0 0 12 13 * FRI"),
              ElementsAre("day of month and day of week are both restricted: it fires only when "
                          "both match"));
}

TEST(Lint, ShortMonthsAreExplained) {
  EXPECT_THAT(warnings("0 12 29 2 *"),
              ElementsAre("29 February exists only in leap years: it fires every fourth year at "
                          "most"));
  EXPECT_THAT(warnings("0 12 31 * *"), ElementsAre("months without a day 31 are left out"));
  EXPECT_THAT(warnings("0 12 30 * *"), ElementsAre("February has no day 30 and is left out"));
  EXPECT_THAT(warnings("0 12 29 * *"),
              ElementsAre("February has a day 29 only in leap years, else it is left out"));
  EXPECT_THAT(warnings("0 12 31 1,12 *"), IsEmpty());
}

}  // namespace
}  // namespace escapement::calendar
