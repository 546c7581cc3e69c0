#include <absl/time/time.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "zone_data.h"

namespace escapement::calendar {
namespace {

// absl remembers every name it was ever asked for, known or not; asking only for files that exist
// keeps that memory bounded.
bool is_installed(const std::string& name) {
  const char* folder = std::getenv("TZDIR");
  const std::filesystem::path root = folder != nullptr ? folder : "/usr/share/zoneinfo";
  std::error_code error;
  return std::filesystem::is_regular_file(root / name, error);
}

}  // namespace

std::optional<ZoneData> load_zone_data(const std::string& name) {
  absl::TimeZone zone;
  if (!is_installed(name) || !absl::LoadTimeZone(name, &zone)) return std::nullopt;
  ZoneData data;
  data.name = name;
  data.first_offset = zone.At(absl::FromUnixSeconds(INT64_C(-1) << 40)).offset;
  std::int64_t offset = data.first_offset;
  absl::Time time = absl::InfinitePast();
  absl::TimeZone::CivilTransition transition;
  while (zone.NextTransition(time, &transition)) {
    time = zone.At(transition.to).trans;
    const std::int64_t now_offset = zone.At(time).offset;
    if (now_offset == offset) continue;
    data.at.push_back(absl::ToUnixSeconds(time));
    data.offset.push_back(now_offset);
    offset = now_offset;
  }
  return data;
}

}  // namespace escapement::calendar
