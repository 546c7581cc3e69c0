// Handle and Tick: how a caller names a timer, and how a wheel counts time.
//
// A handle is 64 bits, cheap to copy and to keep for ever: it says which record and which use of
// that record. Once the timer has expired or was cancelled the handle names nothing, also after
// the record serves another timer. (The generation wraps after 2^32 uses of one chunk of records;
// only a handle kept over exactly a multiple of that could match again.) A default-made handle is
// null and names nothing ever. Any thread may copy and compare handles.
#pragma once

#include <compare>
#include <cstdint>

namespace escapement::timers {

/// A point in time in the caller's unit, counted from the caller's origin. All 2^64 values are
/// real points in time, the largest one too. Round up when converting to ticks: late is allowed,
/// early never.
using Tick = std::uint64_t;

struct Handle {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;

  /// True for the handle that never names a timer.
  constexpr bool is_null() const { return generation == 0; }
  friend constexpr auto operator<=>(const Handle&, const Handle&) = default;
};

static_assert(sizeof(Handle) == 8);

}  // namespace escapement::timers
