// Days and dates: the proleptic Gregorian calendar in integers.
//
// The algorithms are Howard Hinnant's "chrono-compatible low-level date algorithms", with 64-bit
// years. A few nanoseconds each; pure functions.
#pragma once

#include <cstdint>

namespace escapement::calendar {

inline constexpr std::int64_t kDaySeconds = 86400;

struct Date {
  std::int64_t year;
  int month;  // 1-12
  int day;    // 1-31
};

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Days since 1970-01-01.
constexpr std::int64_t days_from_date(Date date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_div(year, 400);
  const auto year_of_era = static_cast<unsigned>(year - era * 400);
  const auto shifted_month = static_cast<unsigned>(date.month + (date.month > 2 ? -3 : 9));
  const unsigned day_of_year = (153 * shifted_month + 2) / 5 + static_cast<unsigned>(date.day) - 1;
  const unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + static_cast<std::int64_t>(day_of_era) - 719468;
}

constexpr Date date_from_days(std::int64_t days) {
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = floor_div(shifted, 146097);
  const auto day_of_era = static_cast<unsigned>(shifted - era * 146097);
  const unsigned year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const unsigned day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const unsigned shifted_month = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const int month = static_cast<int>(shifted_month) + (shifted_month < 10 ? 3 : -9);
  return {static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

constexpr bool is_leap(std::int64_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr int month_length(std::int64_t year, int month) {
  if (month == 2) return is_leap(year) ? 29 : 28;
  return 30 + ((month + (month >> 3)) & 1);
}

// 0 is Sunday.
constexpr int weekday_of(std::int64_t days) {
  const auto weekday = static_cast<int>((days + 4) % 7);
  return weekday < 0 ? weekday + 7 : weekday;
}

}  // namespace escapement::calendar
