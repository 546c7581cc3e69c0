// Rule: what a cron expression means, as bit masks.
//
// The idea: a field is a set, a set of small numbers is a mask, and the days of one month are one
// mask too, computed from its length and the weekday of its first day. There are only 28 such kinds
// of month, so whether a rule can ever fire is known when it is parsed, and a search walks months,
// never days. A plain value of 128 bytes; any thread.
#pragma once

#include <array>
#include <cstdint>

#include "escapement/base/time.h"

namespace escapement::calendar {

inline constexpr int kFirstYear = 1970;  // of the quartz year field
inline constexpr int kLastYear = 2099;

// The two day fields. A day of the month matches the first if one of the first four masks names it.
struct DayRule {
  std::uint32_t days = 0;              // bit d: day d, 1-31
  std::uint32_t from_end = 0;          // bit n: n days before the last day (L, L-3)
  std::uint32_t nearest = 0;           // bit d: the weekday nearest to day d (15W)
  std::uint32_t nearest_from_end = 0;  // bit n: the weekday nearest to L-n (LW)
  std::uint8_t weekdays = 0;           // bit w: weekday w, 0 is Sunday
  std::uint8_t last_weekdays = 0;      // bit w: the month's last weekday w (5L)
  std::uint64_t nth_weekdays = 0;      // bit 7 * (n - 1) + w: the month's nth weekday w (6#3)
  bool month_day_star = false;         // the field begins with '*' or is '?'
  bool weekday_star = false;
  bool either = false;  // one matching field is enough (unix, neither is a star)
  // possible[length - 28], bit w: a month that begins on weekday w has a matching day.
  std::array<std::uint8_t, 4> possible{};
};

struct Rule {
  std::uint64_t seconds = 0;  // bit s
  std::uint64_t minutes = 0;  // bit m
  std::uint32_t hours = 0;    // bit h
  std::uint32_t months = 0;   // bit m, 1-12
  DayRule days;
  std::array<std::uint64_t, 3> years{};  // bit y - 1970; only if `bounded`
  bool bounded = false;                  // quartz: 1970-2099; unix goes on for ever
  bool wildcard = false;                 // '*', '*/n' or 'a/n' in seconds, minutes or hours
  bool possible = false;                 // some month can have a matching day
  Duration every{};                      // @every; then nothing else counts
};

// The matching days of a month of `length` days whose first day is weekday `first`; bits 1-31.
std::uint32_t days_of_month(const DayRule& rule, int length, int first);

// Fills `days.possible` and `possible`, once all other fields are set.
void finish_rule(Rule& rule);

}  // namespace escapement::calendar
