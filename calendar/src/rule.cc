#include "escapement/calendar/rule.h"

#include <bit>

namespace escapement::calendar {
namespace {

constexpr std::uint32_t kAllDays = 0xFFFFFFFE;
constexpr std::uint8_t kAllWeekdays = 0x7F;

// Bits 1 to length.
std::uint32_t whole_month(int length) { return ((std::uint32_t{1} << length) - 1) << 1; }

// The weekday mask seen from `first`: bit i of the result is weekday (first + i) % 7.
std::uint32_t rotate(std::uint32_t weekdays, int first) {
  return ((weekdays | weekdays << 7) >> first) & kAllWeekdays;
}

// The weekday (Monday to Friday) nearest to `day`, without leaving the month.
int nearest_weekday(int day, int length, int first) {
  const int weekday = (first + day - 1) % 7;
  if (weekday == 6) return day > 1 ? day - 1 : day + 2;
  if (weekday == 0) return day < length ? day + 1 : day - 2;
  return day;
}

std::uint32_t nearest_days(const DayRule& rule, int length, int first) {
  std::uint32_t result = 0;
  for (std::uint32_t left = rule.nearest & whole_month(length); left != 0; left &= left - 1) {
    result |= std::uint32_t{1} << nearest_weekday(std::countr_zero(left), length, first);
  }
  for (std::uint32_t left = rule.nearest_from_end; left != 0; left &= left - 1) {
    const int day = length - std::countr_zero(left);
    if (day >= 1) result |= std::uint32_t{1} << nearest_weekday(day, length, first);
  }
  return result;
}

std::uint32_t days_from_end(std::uint32_t from_end, int length) {
  std::uint32_t result = 0;
  for (; from_end != 0; from_end &= from_end - 1) {
    const int day = length - std::countr_zero(from_end);
    if (day >= 1) result |= std::uint32_t{1} << day;
  }
  return result;
}

std::uint32_t nth_weekdays(std::uint64_t nth, int first) {
  std::uint64_t result = 0;
  for (int block = 0; block < 5; ++block) {
    const auto weekdays = static_cast<std::uint32_t>(nth >> (7 * block)) & kAllWeekdays;
    result |= std::uint64_t{rotate(weekdays, first)} << (7 * block + 1);
  }
  return static_cast<std::uint32_t>(result);
}

bool has_month_day_specials(const DayRule& rule) {
  return (rule.from_end | rule.nearest | rule.nearest_from_end) != 0;
}

bool has_weekday_specials(const DayRule& rule) {
  return rule.last_weekdays != 0 || rule.nth_weekdays != 0;
}

std::uint32_t by_month_day(const DayRule& rule, int length, int first) {
  if (!has_month_day_specials(rule)) return rule.days;
  return rule.days | days_from_end(rule.from_end, length) | nearest_days(rule, length, first);
}

std::uint32_t by_weekday(const DayRule& rule, int length, int first) {
  const std::uint32_t week = rotate(rule.weekdays, first);
  std::uint32_t result = week << 1 | week << 8 | week << 15 | week << 22 | week << 29;
  if (!has_weekday_specials(rule)) return result;
  result |= rotate(rule.last_weekdays, (first + length) % 7) << (length - 6);
  return result | nth_weekdays(rule.nth_weekdays, first);
}

std::uint8_t possible_starts(const DayRule& rule, int length) {
  if (rule.weekdays == kAllWeekdays && !has_month_day_specials(rule) && !rule.either) {
    return (rule.days & whole_month(length)) != 0 ? kAllWeekdays : 0;
  }
  if (rule.days == kAllDays && rule.weekdays != 0 && !rule.either) return kAllWeekdays;
  std::uint8_t result = 0;
  for (int first = 0; first < 7; ++first) {
    if (days_of_month(rule, length, first) != 0) {
      result = static_cast<std::uint8_t>(result | 1 << first);
    }
  }
  return result;
}

}  // namespace

std::uint32_t days_of_month(const DayRule& rule, int length, int first) {
  const std::uint32_t days = by_month_day(rule, length, first);
  const std::uint32_t weekdays = by_weekday(rule, length, first);
  return (rule.either ? days | weekdays : days & weekdays) & whole_month(length);
}

void finish_rule(Rule& rule) {
  for (int length = 28; length <= 31; ++length) {
    rule.days.possible[static_cast<std::size_t>(length - 28)] = possible_starts(rule.days, length);
  }
  constexpr std::uint32_t kFebruary = 1 << 2;
  constexpr std::uint32_t kShort = 1 << 4 | 1 << 6 | 1 << 9 | 1 << 11;
  const auto& possible = rule.days.possible;
  rule.possible = ((rule.months & kFebruary) != 0 && (possible[0] | possible[1]) != 0) ||
                  ((rule.months & kShort) != 0 && possible[2] != 0) ||
                  ((rule.months & ~(kShort | kFebruary)) != 0 && possible[3] != 0);
}

}  // namespace escapement::calendar
