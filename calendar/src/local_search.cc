#include "local_search.h"

#include <bit>

#include "bits.h"
#include "civil.h"

namespace escapement::calendar {
namespace {

struct Month {
  std::int64_t start;  // days since the epoch of its first day
  std::uint32_t days;  // the matching ones, bits 1-31
};

Month month_of(const Rule& rule, std::int64_t year, int month) {
  const std::int64_t start = days_from_date({year, month, 1});
  const int first = weekday_of(start);
  const int length = month_length(year, month);
  const std::uint8_t possible = rule.days.possible[static_cast<std::size_t>(length - 28)];
  if ((possible >> first & 1) == 0) return {start, 0};
  return {start, days_of_month(rule.days, length, first)};
}

bool has_year(const Rule& rule, std::int64_t year) {
  if (!rule.bounded) return true;
  if (year < kFirstYear || year > kLastYear) return false;
  const auto bit = static_cast<std::size_t>(year - kFirstYear);
  return (rule.years[bit / 64] >> (bit % 64) & 1) != 0;
}

// The first matching day >= day; kNoTime if there is none.
std::int64_t day_at_or_after(const Rule& rule, std::int64_t day, std::int64_t last_year,
                             Work& work) {
  const Date date = date_from_days(day);
  std::uint32_t left = ~std::uint32_t{0} << date.day;
  int month = date.month;
  std::int64_t year = date.year;
  if (rule.bounded && year < kFirstYear) {
    year = kFirstYear;
    month = 1;
    left = ~std::uint32_t{0};
  }
  for (; year <= last_year; ++year, month = 1, left = ~std::uint32_t{0}) {
    ++work.years;
    if (!has_year(rule, year)) continue;
    if (bit_at_or_above(rule.months, month) != month) left = ~std::uint32_t{0};
    for (month = bit_at_or_above(rule.months, month); month > 0;
         month = bit_at_or_above(rule.months, month + 1)) {
      ++work.months;
      const Month found = month_of(rule, year, month);
      const std::uint32_t days = found.days & left;
      if (days != 0) return found.start + std::countr_zero(days) - 1;
      left = ~std::uint32_t{0};
    }
  }
  return kNoTime;
}

// The last matching day <= day; kNoTime if there is none.
std::int64_t day_at_or_before(const Rule& rule, std::int64_t day, std::int64_t first_year,
                              Work& work) {
  const Date date = date_from_days(day);
  std::uint32_t left = ~std::uint32_t{0} >> (31 - date.day);
  int month = date.month;
  std::int64_t year = date.year;
  if (rule.bounded && year > kLastYear) {
    year = kLastYear;
    month = 12;
    left = ~std::uint32_t{0};
  }
  for (; year >= first_year; --year, month = 12, left = ~std::uint32_t{0}) {
    ++work.years;
    if (!has_year(rule, year)) continue;
    if (bit_at_or_below(rule.months, month) != month) left = ~std::uint32_t{0};
    for (month = bit_at_or_below(rule.months, month); month > 0;
         month = bit_at_or_below(rule.months, month - 1)) {
      ++work.months;
      const Month found = month_of(rule, year, month);
      const std::uint32_t days = found.days & left;
      if (days != 0) return found.start + 31 - std::countl_zero(days) - 1;
      left = ~std::uint32_t{0};
    }
  }
  return kNoTime;
}

constexpr int seconds_of(int hour, int minute, int second) {
  return hour * 3600 + minute * 60 + second;
}

// The first matching second of the day >= from, or -1.
int time_at_or_after(const Rule& rule, int from) {
  const int hour = bit_at_or_above(rule.hours, from / 3600);
  if (hour < 0) return -1;
  if (hour == from / 3600) {
    const int now_minute = from / 60 % 60;
    const int minute = bit_at_or_above(rule.minutes, now_minute);
    const int second = minute == now_minute ? bit_at_or_above(rule.seconds, from % 60) : -1;
    if (second >= 0) return seconds_of(hour, minute, second);
    const int later = minute == now_minute ? bit_at_or_above(rule.minutes, now_minute + 1) : minute;
    if (later >= 0) return seconds_of(hour, later, lowest_bit(rule.seconds));
    return time_at_or_after(rule, seconds_of(hour + 1, 0, 0));
  }
  return seconds_of(hour, lowest_bit(rule.minutes), lowest_bit(rule.seconds));
}

// The last matching second of the day <= to, or -1.
int time_at_or_before(const Rule& rule, int to) {
  if (to < 0) return -1;
  const int hour = bit_at_or_below(rule.hours, to / 3600);
  if (hour < 0) return -1;
  if (hour == to / 3600) {
    const int now_minute = to / 60 % 60;
    const int minute = bit_at_or_below(rule.minutes, now_minute);
    const int second = minute == now_minute ? bit_at_or_below(rule.seconds, to % 60) : -1;
    if (second >= 0) return seconds_of(hour, minute, second);
    const int earlier =
        minute == now_minute ? bit_at_or_below(rule.minutes, now_minute - 1) : minute;
    if (earlier >= 0) return seconds_of(hour, earlier, highest_bit(rule.seconds));
    return time_at_or_before(rule, seconds_of(hour, 0, 0) - 1);
  }
  return seconds_of(hour, highest_bit(rule.minutes), highest_bit(rule.seconds));
}

}  // namespace

std::int64_t first_nominal(const Rule& rule, std::int64_t from, std::int64_t last_year,
                           Work& work) {
  if (!rule.possible) return kNoTime;
  const std::int64_t today = floor_div(from, kDaySeconds);
  const int time = time_at_or_after(rule, static_cast<int>(from - today * kDaySeconds));
  const std::int64_t start = time >= 0 ? today : today + 1;
  const std::int64_t day = day_at_or_after(rule, start, last_year, work);
  if (day == kNoTime) return kNoTime;
  return day * kDaySeconds + (day == today ? time : time_at_or_after(rule, 0));
}

std::int64_t last_nominal(const Rule& rule, std::int64_t to, std::int64_t first_year, Work& work) {
  if (!rule.possible) return kNoTime;
  const std::int64_t today = floor_div(to, kDaySeconds);
  const int time = time_at_or_before(rule, static_cast<int>(to - today * kDaySeconds));
  const std::int64_t start = time >= 0 ? today : today - 1;
  const std::int64_t day = day_at_or_before(rule, start, first_year, work);
  if (day == kNoTime) return kNoTime;
  return day * kDaySeconds +
         (day == today ? time : time_at_or_before(rule, static_cast<int>(kDaySeconds) - 1));
}

}  // namespace escapement::calendar
