// Searching masks: the nearest set bit at or above, and at or below, a position. Pure, 1 ns.
#pragma once

#include <bit>
#include <cstdint>

namespace escapement::calendar {

// The lowest set bit >= from, or -1.
inline int bit_at_or_above(std::uint64_t mask, int from) {
  if (from > 63) return -1;
  const std::uint64_t rest = mask >> from;
  return rest == 0 ? -1 : from + std::countr_zero(rest);
}

// The highest set bit <= to, or -1.
inline int bit_at_or_below(std::uint64_t mask, int to) {
  if (to < 0) return -1;
  const std::uint64_t rest = mask << (63 - to);
  return rest == 0 ? -1 : to - std::countl_zero(rest);
}

inline int lowest_bit(std::uint64_t mask) { return std::countr_zero(mask); }
inline int highest_bit(std::uint64_t mask) { return 63 - std::countl_zero(mask); }

}  // namespace escapement::calendar
