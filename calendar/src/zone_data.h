// ZoneData: the transitions of one zone, ready for lookup; see zone.h for the idea.
//
// Written once by the loader, then constant: any thread may read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace escapement::calendar {

// The Gregorian calendar, weekdays included, repeats after 400 years.
inline constexpr std::int64_t kCycleSeconds = std::int64_t{146097} * 86400;

struct ZoneData {
  std::string name;
  std::int64_t first_offset = 0;     // before the first transition
  std::vector<std::int64_t> at;      // seconds since the epoch, ascending
  std::vector<std::int64_t> offset;  // in force from at[i] on
  bool perpetual = false;            // the last kCycleSeconds repeat for ever
  std::int64_t settled_year = 0;     // see Zone::settled_year
  std::vector<std::uint16_t> index;  // transitions at or before the start of each bucket
};

// Fills `index`, `perpetual` and `settled_year`.
void finish_zone(ZoneData& data);

// The transitions of an installed zone file, through absl; nullopt when there is none. The name
// must have passed the checks of Zone::load.
std::optional<ZoneData> load_zone_data(const std::string& name);

}  // namespace escapement::calendar
