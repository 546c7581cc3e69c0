// Nominal times: when a rule's fields match a clock on the wall that never jumps.
//
// Times are local seconds since 1970-01-01T00:00:00. A search walks from month to month, so a
// result within the month costs some 20 ns and every further month that is in the rule 5 ns. Pure.
#pragma once

#include <cstdint>

#include "escapement/calendar/rule.h"

namespace escapement::calendar {

// "There is no such time"; earlier than every local second.
inline constexpr std::int64_t kNoTime = INT64_MIN;

// How much a search has done, for tests of the worst case.
struct Work {
  int years = 0;
  int months = 0;
  int stretches = 0;
};

// The first nominal time >= from, up to the end of `last_year`; kNoTime if there is none.
std::int64_t first_nominal(const Rule& rule, std::int64_t from, std::int64_t last_year, Work& work);

// The last nominal time <= to, down to the beginning of `first_year`; kNoTime if there is none.
std::int64_t last_nominal(const Rule& rule, std::int64_t to, std::int64_t first_year, Work& work);

}  // namespace escapement::calendar
