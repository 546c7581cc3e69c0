#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "escapement/calendar/cron.h"

namespace escapement::calendar {
namespace {

std::string message_of(const std::string& text, Dialect dialect) {
  const auto cron = Cron::parse(text, dialect, Zone());
  if (cron.ok()) return "no error";
  EXPECT_EQ(cron.error().code, ErrorCode::invalid);
  return cron.error().message;
}

TEST(CronParse, UnixErrorsNameFieldValueAndWhatIsAllowed) {
  const std::pair<const char*, const char*> cases[] = {
      {"60 * * * *", "minute: \"60\" is out of range; allowed are 0-59"},
      {"4294967296 * * * *", "minute: \"4294967296\" is out of range; allowed are 0-59"},
      {"* 24 * * *", "hour: \"24\" is out of range; allowed are 0-23"},
      {"*/0 * * * *", "minute: \"*/0\" has a bad step; allowed are 1-60"},
      {"*/61 * * * *", "minute: \"*/61\" has a bad step; allowed are 1-60"},
      {"30-10 * * * *",
       "minute: \"30-10\" runs backwards; the first value must not exceed the second"},
      {"1,,2 * * * *", "minute: \"\" is not understood; allowed are 0-59"},
      {"1-5-7 * * * *", "minute: \"1-5-7\" is not understood; allowed are 0-59"},
      {"* * 32 * *",
       "day of month: \"32\" is out of range; allowed are 1-31, ranges, lists, steps and *"},
      {"* * L * *",
       "day of month: \"L\" is not understood; allowed are 1-31, ranges, lists, steps and *"},
      {"* * * FOO *", "month: \"FOO\" is not understood; allowed are 1-12 and JAN-DEC"},
      {"* * * * MONDAY", "day of week: \"MONDAY\" is not understood; allowed are 0-7 and SUN-SAT"},
      {"* * * * 8", "day of week: \"8\" is out of range; allowed are 0-7 and SUN-SAT"},
      {"* * * *",
       "expression: 4 fields; the unix dialect has 5 (minute hour day-of-month month day-of-week)"},
      {"", "expression: is empty; allowed are 5 to 7 fields"},
      {" \t ", "expression: is empty; allowed are 5 to 7 fields"},
      {"@foo",
       "expression: \"@foo\" is no macro; allowed are @yearly, @annually, @monthly, @weekly, "
       "@daily, @midnight, @hourly and @every 90s"},
      {"@every 0s", "@every: \"0s\" is no interval; allowed are 1s to 8784h, such as 90s or 1h30m"},
      {"@every 5d", "@every: \"5d\" is no interval; allowed are 1s to 8784h, such as 90s or 1h30m"},
      {"@every", "@every: \"\" is no interval; allowed are 1s to 8784h, such as 90s or 1h30m"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(message_of(text, Dialect::kUnix), message);
}

TEST(CronParse, QuartzErrorsNameFieldValueAndWhatIsAllowed) {
  const std::pair<const char*, const char*> cases[] = {
      {"0 0 0 ? * ?", "day of week: \"?\" stands in both day fields; allowed is one of them"},
      {"0 0 0 0W * ?",
       "day of month: \"0W\" is not understood; allowed are 1-31, *, ?, L, L-3, LW and 15W"},
      {"0 0 0 L-31 * ?",
       "day of month: \"L-31\" is not understood; allowed are 1-31, *, ?, L, L-3, LW and 15W"},
      {"0 0 0 ? * 3#6",
       "day of week: \"3#6\" is not understood; allowed are 1-7, SUN-SAT, *, ?, L, 5L and 6#3"},
      {"0 0 0 ? * 8L",
       "day of week: \"8L\" is out of range; allowed are 1-7, SUN-SAT, *, ?, L, 5L and 6#3"},
      {"0 0 0 1 1 ? 2100", "year: \"2100\" is out of range; allowed are 1970-2099"},
      {"0 0 0 1 1 ? 2030-2020",
       "year: \"2030-2020\" runs backwards; the first value must not exceed the second"},
      {"? 0 0 1 1 ?", "second: \"?\" is not understood; allowed are 0-59"},
      {"@daily", "expression: \"@daily\" is a macro; allowed only in the unix dialect"},
      {"* * * * *",
       "expression: 5 fields; the quartz dialect has 6 or 7 (second minute hour day-of-month month "
       "day-of-week [year])"},
  };
  for (const auto& [text, message] : cases) EXPECT_EQ(message_of(text, Dialect::kQuartz), message);
}

TEST(CronParse, MalformedFieldsAreRefused) {
  for (const char* text : {"- * * * *", "1- * * * *", "-1 * * * *", "* */ * * *", "*5 * * * *",
                           "1/ * * * *", "1/5/5 * * * *", "1.5 * * * *", "? * * * *", ", * * * *",
                           "1, * * * *", "* * * JANU *", "* * * * FRI-", "* * * * SAT-SUN"}) {
    EXPECT_NE(message_of(text, Dialect::kUnix), "no error") << text;
  }
  for (const char* text : {"0 0 0 W * ?", "0 0 0 1-5W * ?", "0 0 0 L3 * ?", "0 0 0 ?,1 * MON",
                           "0 0 0 ? * #2", "0 0 0 ? * MON#0", "0 0 0 ? * MONLL", "0 0 0 LW-3 * ?",
                           "0 0 0 100W * ?", "0 0 0 ? * 6#33", "0 0 0 -L * ?"}) {
    EXPECT_NE(message_of(text, Dialect::kQuartz), "no error") << text;
  }
}

TEST(CronParse, LettersMayBeSmall) {
  for (const char* text : {"0 0 0 l * ?", "0 0 0 lw * ?", "0 0 0 15w * ?", "0 0 0 ? jan mon-fri",
                           "0 0 0 ? * fril", "0 0 0 ? * l", "0 0 0 L-3W * ?", "0 0 0 1,L * ?"}) {
    EXPECT_EQ(message_of(text, Dialect::kQuartz), "no error") << text;
  }
}

TEST(CronParse, MessagesAreOnePrintableLine) {
  const std::string evil = std::string("\x1b[2J\n\xff\0", 7) + std::string(200, 'x');
  for (const std::string& text :
       {evil + " * * * *", "* * * * " + evil, "@" + evil, "@every " + evil, evil}) {
    const std::string message = message_of(text, Dialect::kUnix);
    EXPECT_NE(message, "no error");
    EXPECT_TRUE(std::ranges::all_of(message, [](char c) { return c >= ' ' && c <= '~'; }))
        << message;
    EXPECT_LE(message.size(), 200U);
  }
}

TEST(CronParse, LongExpressionsAreRefused) {
  std::string list = "0";
  while (list.size() < kMaxExpressionBytes - 10) list += ",1";
  EXPECT_EQ(message_of(list + " * * * *", Dialect::kUnix), "no error");
  EXPECT_EQ(message_of(std::string(1025, '*'), Dialect::kUnix),
            "expression: 1025 bytes; allowed are 1024");
}

}  // namespace
}  // namespace escapement::calendar
