// The units of time, as types.
//
// Two clocks rule a scheduler and must never be mixed up: the wall clock says when a calendar
// instant is due and may be stepped; the elapsed clock (CLOCK_BOOTTIME) counts delays, timeouts
// and back-off, goes on while the machine sleeps and is never stepped. An `Instant` is wall time,
// an `Elapsed` is elapsed time, both in microseconds; subtracting one from the other does not
// compile. Values; any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "escapement/base/result.h"

namespace escapement {

using Duration = std::chrono::microseconds;

// An instant on the wall clock, UTC, microseconds since 1970-01-01T00:00:00Z.
using Instant = std::chrono::sys_time<Duration>;

// The tag of CLOCK_BOOTTIME. It is only a coordinate: reading it is the Clock's work.
struct BootTime {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootTime, Duration>;
  static constexpr bool is_steady = true;
};

// An instant on the elapsed clock, microseconds since boot.
using Elapsed = BootTime::time_point;

// Both clocks, read together.
struct Now {
  Instant wall{};
  Elapsed elapsed{};
};

// The last representable instants; used as "never".
inline constexpr Instant kNever = Instant::max();
inline constexpr Elapsed kNeverElapsed = Elapsed::max();

// a + b and a - b, clamped to the ends of the range instead of overflowing.
Instant saturating_add(Instant a, Duration b);
Elapsed saturating_add(Elapsed a, Duration b);

// Microseconds since the epoch, the form that stores keep.
inline std::int64_t to_micros(Instant at) { return at.time_since_epoch().count(); }
inline Instant from_micros(std::int64_t micros) { return Instant{Duration{micros}}; }

// "2026-03-29T01:30:00.000250Z"; the fraction is left out when it is zero unless `always_micros`.
// Years 0000-9999; an instant outside is clamped to that range.
std::string format_instant(Instant at, bool always_micros = false);

// Parses RFC 3339: date, 'T' or space, time, up to 6 fraction digits (more are an error), 'Z' or
// +hh:mm. Errors: `invalid` with the reason; the field is left to the caller.
Result<Instant> parse_instant(std::string_view text);

// "1h30m", "250ms", "1.5s", "90s", "0s": units us, ms, s, m, h, d. One or more terms, each a
// decimal number and a unit. Negative values, unknown units and overflow are `invalid`; a value
// finer than a microsecond is `invalid` too.
Result<Duration> parse_duration(std::string_view text);

// The shortest text that parse_duration reads back to the same value, for example "1h30m".
std::string format_duration(Duration value);

}  // namespace escapement
