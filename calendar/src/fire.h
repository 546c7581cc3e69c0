// Fires: nominal times carried over to real time, with daylight saving.
//
// The idea: walk stretches of constant offset. Inside one, local and real time differ by a
// constant; at its beginning a gap or an overlap decides:
//
//   wildcard rule   every second of the stretch whose local time is nominal
//   fixed rule      the same, without the second pass of an overlap; and if the gap in front of the
//                   stretch is shorter than kMaxMadeUpGap and holds a nominal time, its first
//                   second
//
// A stretch that ends before the next nominal time is never looked at, so far answers cost no more
// than near ones. Pure; seconds since the epoch.
#pragma once

#include <cstdint>
#include <optional>

#include "escapement/calendar/rule.h"
#include "escapement/calendar/zone.h"
#include "local_search.h"

namespace escapement::calendar {

// A jump of three hours or more is a change of calendar (a date line that moved), not daylight
// saving: cronie's limit.
inline constexpr std::int64_t kMaxMadeUpGap = 3 * 3600;

// Fires lie in the years 0 to 9999. In history a search may go back 400 years, after which the
// calendar has begun to repeat itself.
inline constexpr std::int64_t kFirstFire = INT64_C(-62167219200);
inline constexpr std::int64_t kLastFire = INT64_C(253402300799);
inline constexpr std::int64_t kSearchYears = 400;

// All 14 kinds of year (leap or not, seven weekdays for 1 January) occur in 40 years, and once a
// zone is settled a year's kind decides all of its fires. So two such spans without a fire, in a
// settled zone, mean that there are none.
inline constexpr std::int64_t kSettledSearchYears = 80;

// The first fire >= second.
std::optional<std::int64_t> first_fire(const Rule& rule, Zone zone, std::int64_t second,
                                       Work& work);

// The last fire <= second.
std::optional<std::int64_t> last_fire(const Rule& rule, Zone zone, std::int64_t second, Work& work);

}  // namespace escapement::calendar
