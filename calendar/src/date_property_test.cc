// Random day fields, L, W and # included, against asking every single day.

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "escapement/calendar/cron.h"
#include "naive_cron.h"

namespace escapement::calendar {
namespace {

using naive::pick;
using naive::Random;
using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr int kCases = 4'000;
constexpr int kHorizonDays = 366 * 12;

struct Day {
  int month = 0;
  int day = 0;
  int length = 0;   // of the month
  int weekday = 0;  // 1 is Sunday, as in quartz
};

Day day_of(sys_days at) {
  const year_month_day date{at};
  const auto last =
      std::chrono::year_month_day_last{date.year() / date.month() / std::chrono::last};
  return {static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          static_cast<int>(static_cast<unsigned>(last.day())),
          static_cast<int>(std::chrono::weekday{at}.c_encoding()) + 1};
}

// Is `day` the Monday-to-Friday day of its month that is closest to day `target`?
bool is_nearest(const Day& day, int target) {
  if (target < 1 || target > day.length) return false;
  int best = 0;
  for (int candidate = 1; candidate <= day.length; ++candidate) {
    const int weekday = ((day.weekday - 1 + candidate - day.day) % 7 + 7) % 7;
    if (weekday == 0 || weekday == 6) continue;
    if (best == 0 || std::abs(candidate - target) < std::abs(best - target)) best = candidate;
  }
  return day.day == best;
}

struct DayTerm {
  enum Kind { any, plain, from_end, nearest, nearest_from_end, last_weekday, nth_weekday };
  Kind kind = any;
  std::string text = "*";
  std::set<int> values;
  int number = 0;
  int nth = 0;

  bool matches(const Day& day) const {
    switch (kind) {
      case any:
        return true;
      case plain:
        return values.contains(number == 0 ? day.day : day.weekday);
      case from_end:
        return day.day == day.length - number;
      case nearest:
        return is_nearest(day, number);
      case nearest_from_end:
        return is_nearest(day, day.length - number);
      case last_weekday:
        return day.weekday == number && day.day + 7 > day.length;
      case nth_weekday:
        return day.weekday == number && (day.day + 6) / 7 == nth;
    }
    return false;
  }
};

DayTerm random_month_day(Random& random) {
  const int number = pick(random, 0, 1) == 0 ? pick(random, 0, 3) : pick(random, 0, 30);
  const std::string text = std::to_string(number);
  switch (pick(random, 0, 5)) {
    case 0:
      return {DayTerm::any, "?", {}, 0, 0};
    case 1:
      return {DayTerm::from_end, number == 0 ? "L" : "L-" + text, {}, number, 0};
    case 2:
      return {DayTerm::nearest, std::to_string(number + 1) + "W", {}, number + 1, 0};
    case 3:
      return {DayTerm::nearest_from_end, number == 0 ? "LW" : "L-" + text + "W", {}, number, 0};
    default:
      break;
  }
  const naive::Field field = naive::random_field(random, 1, 31);
  return {DayTerm::plain, field.text, field.values, 0, 0};
}

DayTerm random_weekday(Random& random) {
  const int weekday = pick(random, 1, 7);
  const std::string text = std::to_string(weekday);
  const int nth = pick(random, 1, 5);
  switch (pick(random, 0, 5)) {
    case 0:
      return {DayTerm::last_weekday, text + "L", {}, weekday, 0};
    case 1:
      return {DayTerm::nth_weekday, text + "#" + std::to_string(nth), {}, weekday, nth};
    case 2: {
      const naive::Field field = naive::random_field(random, 1, 7);
      return {DayTerm::plain, field.text, field.values, 1, 0};
    }
    default:
      return {};
  }
}

sys_days naive_next(sys_days after, const DayTerm& month_day, const DayTerm& weekday,
                    const naive::Field& months, int direction) {
  sys_days at = after;
  for (int step = 0; step < kHorizonDays; ++step) {
    at += days{direction};
    const int year = static_cast<int>(year_month_day{at}.year());
    if (year < 1970 || year > 2099) break;
    const Day day = day_of(at);
    if (months.values.contains(day.month) && month_day.matches(day) && weekday.matches(day))
      return at;
  }
  return after;
}

void check_case(Random& random) {
  const DayTerm month_day = random_month_day(random);
  const DayTerm weekday = random_weekday(random);
  const naive::Field months =
      pick(random, 0, 2) == 0 ? naive::random_field(random, 1, 12)
                              : naive::Field{"*", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, true};
  const std::string text = "0 0 0 " + month_day.text + " " + months.text + " " + weekday.text;
  SCOPED_TRACE(text);
  const auto cron = Cron::parse(text, Dialect::kQuartz, Zone());
  ASSERT_TRUE(cron.ok()) << cron.error().message;
  const sys_days from{days{pick(random, 0, 47481)}};
  for (const int direction : {1, -1}) {
    const sys_days expected = naive_next(from, month_day, weekday, months, direction);
    const auto found = direction > 0 ? cron->next(from) : cron->previous(from);
    if (expected != from) {
      ASSERT_TRUE(found.has_value());
      ASSERT_EQ(*found, Instant{expected})
          << direction << " from " << from.time_since_epoch().count();
    } else if (found) {
      ASSERT_GT(std::abs((*found - Instant{from}).count()), Duration{days{kHorizonDays}}.count());
    }
  }
}

TEST(DateProperty, NextAndPreviousAgreeWithAskingEveryDay) {
  Random random(29);
  for (int round = 0; round < kCases; ++round) {
    check_case(random);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace escapement::calendar
