// Zone: an IANA time zone, as a cheap value.
//
// The idea: a zone is a sorted list of transitions, read once and kept for ever, so an answer is an
// index lookup and never touches a lock. Zones with perpetual daylight saving list some 400 years
// and repeat from there, because the Gregorian calendar does. The number of zones is bounded by the
// zone files of the machine and by kMaxZones.
//
// Costs: `load` takes a mutex and, the first time, reads a file (some 100 us); everything else is
// 5-20 ns. Any thread may call anything.
//
//   Zone berlin = *Zone::load("Europe/Berlin");
//   LocalTime local = berlin.to_local(at);         // what the clock on the wall shows
//   LocalLookup back = berlin.resolve(local.time);  // unique, skipped or repeated
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "escapement/base/result.h"
#include "escapement/base/time.h"

namespace escapement::calendar {

inline constexpr std::size_t kMaxZones = 2000;
inline constexpr std::size_t kMaxZoneNameBytes = 64;

// No zone was ever further from UTC than this; the record is Manila's local mean time, 15:56:08.
inline constexpr std::int64_t kMaxOffsetSeconds = 24 * 3600;

// What the clock on the wall shows, in whole seconds, and how far it is ahead of UTC.
struct LocalTime {
  std::chrono::local_seconds time{};
  std::chrono::seconds offset{};
};

struct Civil {
  std::int64_t year = 1970;
  int month = 1;
  int day = 1;
  int hour = 0;
  int minute = 0;
  int second = 0;

  bool operator==(const Civil&) const = default;
};

// Gregorian, also before 1582.
Civil to_civil(std::chrono::local_seconds time);
std::chrono::local_seconds from_civil(const Civil& civil);

enum class LocalKind { unique, skipped, repeated };

// The instants of a local time. `before` is computed with the offset in force before the
// transition, `after` with the one after it: for a repeated time they are its two passes, for a
// skipped time before > transition > after. For a unique time all three are equal.
struct LocalLookup {
  LocalKind kind = LocalKind::unique;
  Instant before{};
  Instant transition{};
  Instant after{};
};

struct Transition {
  Instant at{};
  std::chrono::seconds offset_before{};
  std::chrono::seconds offset_after{};
};

// A stretch of constant offset, [from, to) in seconds since the epoch. The first begins at
// kBeginning, the last ends at kEnd; all sums of these numbers fit.
struct Stretch {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t offset = 0;
  std::int64_t offset_before = 0;  // of the stretch before; equal to `offset` in the first one
};

inline constexpr std::int64_t kBeginning = -(std::int64_t{1} << 60);
inline constexpr std::int64_t kEnd = std::int64_t{1} << 60;

struct ZoneData;

class Zone {
 public:
  // UTC.
  Zone();

  // Errors: `invalid` for a name that is no IANA zone of this machine, a path, "localtime" or an
  // empty name; `full` beyond kMaxZones. "UTC" always works.
  static Result<Zone> load(std::string_view iana_name);

  const std::string& name() const;

  LocalTime to_local(Instant at) const;
  LocalLookup resolve(std::chrono::local_seconds time) const;

  // The first transition after, and the last before an instant; both strictly.
  std::optional<Transition> next_transition(Instant after) const;
  std::optional<Transition> previous_transition(Instant before) const;

  // The stretch that contains a second since the epoch.
  Stretch stretch_at(std::int64_t second) const;

  // From this year on the zone follows one unchanging rule (or has no transitions any more).
  std::int64_t settled_year() const;

  friend bool operator==(const Zone&, const Zone&) = default;

 private:
  explicit Zone(const ZoneData* data) : data_(data) {}

  const ZoneData* data_;  // lives for ever
};

// "2026-03-29T03:00:00+02:00" (RFC 3339; microseconds if there are any; "Z" is not used). Offsets
// that are no whole minutes, as local mean times are, get their seconds too.
std::string format_local(Instant at, Zone zone);

}  // namespace escapement::calendar
