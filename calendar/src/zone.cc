#include "escapement/calendar/zone.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>

#include "civil.h"
#include "echo.h"
#include "zone_data.h"

namespace escapement::calendar {
namespace {

constexpr int kBucketBits = 24;  // 194 days: rarely more than one transition
// Lists that end after this year were cut off by the loader, not by the zone.
constexpr std::int64_t kPerpetualFrom = (std::int64_t{2300} - 1970) * 31556952;

const ZoneData& utc_data() {
  static const ZoneData* const data = [] {
    auto* fresh = new ZoneData;
    fresh->name = "UTC";
    return fresh;
  }();
  return *data;
}

// Twice what an Instant reaches; local times beyond are looked up as if they were this far.
constexpr std::int64_t kFarthest = 2 * (INT64_MAX / 1'000'000);

std::int64_t floor_seconds(Instant at) { return floor_div(to_micros(at), 1'000'000); }

std::int64_t ceil_seconds(Instant at) {
  return to_micros(at) / 1'000'000 + (to_micros(at) % 1'000'000 > 0 ? 1 : 0);
}

Instant instant_of(std::int64_t second) {
  const std::int64_t limit = INT64_MAX / 1'000'000;
  return from_micros(std::clamp(second, -limit, limit) * 1'000'000);
}

bool is_name_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '+';
}

// Letters, digits, "_-+", and single slashes between parts that begin with a letter.
bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxZoneNameBytes || name == "localtime") return false;
  if (name.starts_with("right/") || name.starts_with("posix/") || name == "posixrules")
    return false;
  bool at_start = true;
  for (const char c : name) {
    if (at_start && std::isalpha(static_cast<unsigned char>(c)) == 0) return false;
    if (c != '/' && !is_name_character(c)) return false;
    at_start = c == '/';
  }
  return !at_start;
}

struct Zones {
  std::mutex mutex;  // guards `by_name`; the data behind the pointers never changes
  std::map<std::string, std::unique_ptr<const ZoneData>, std::less<>> by_name;
};

Zones& zones() {
  static auto* const all = new Zones;
  return *all;
}

Error unknown_zone(std::string_view name) {
  return invalid("", "time zone: " + echo(name) +
                         " is unknown; allowed are IANA names such as Europe/Berlin, and UTC");
}

// The number of transitions at or before `second`, which must not be beyond the table's cycle.
std::size_t count_until(const ZoneData& data, std::int64_t second) {
  if (data.at.empty() || second < data.at.front()) return 0;
  const auto bucket = static_cast<std::size_t>((second - data.at.front()) >> kBucketBits);
  std::size_t count = bucket < data.index.size() ? data.index[bucket] : data.at.size();
  while (count < data.at.size() && data.at[count] <= second) ++count;
  return count;
}

std::optional<Transition> transition_into(const Stretch& stretch) {
  if (stretch.from <= kBeginning) return std::nullopt;
  return Transition{instant_of(stretch.from), std::chrono::seconds{stretch.offset_before},
                    std::chrono::seconds{stretch.offset}};
}

}  // namespace

void finish_zone(ZoneData& data) {
  if (data.at.empty()) return;
  data.perpetual = data.at.back() >= kPerpetualFrom;
  const std::int64_t settled = data.at.back() - (data.perpetual ? kCycleSeconds : 0);
  data.settled_year = date_from_days(floor_div(settled, kDaySeconds)).year + 1;
  std::uint16_t count = 0;
  for (std::int64_t start = data.at.front(); start <= data.at.back();
       start += std::int64_t{1} << kBucketBits) {
    while (count < data.at.size() && data.at[count] <= start) ++count;
    data.index.push_back(count);
  }
}

Zone::Zone() : data_(&utc_data()) {}

Result<Zone> Zone::load(std::string_view iana_name) {
  if (iana_name == "UTC") return Zone();
  if (!is_zone_name(iana_name)) return unknown_zone(iana_name);
  Zones& all = zones();
  const std::lock_guard lock(all.mutex);
  if (const auto found = all.by_name.find(iana_name); found != all.by_name.end()) {
    return Zone(found->second.get());
  }
  if (all.by_name.size() >= kMaxZones) {
    return Error{ErrorCode::full,
                 "time zone: " + std::to_string(kMaxZones) + " zones are loaded, the limit", ""};
  }
  std::optional<ZoneData> data = load_zone_data(std::string(iana_name));
  if (!data) return unknown_zone(iana_name);
  finish_zone(*data);
  auto kept = std::make_unique<const ZoneData>(std::move(*data));
  return Zone(all.by_name.emplace(kept->name, std::move(kept)).first->second.get());
}

const std::string& Zone::name() const { return data_->name; }

std::int64_t Zone::settled_year() const { return data_->settled_year; }

Stretch Zone::stretch_at(std::int64_t second) const {
  const ZoneData& data = *data_;
  std::int64_t shift = 0;
  if (data.perpetual && second >= data.at.back()) {
    shift = ((second - data.at.back()) / kCycleSeconds + 1) * kCycleSeconds;
  }
  const std::size_t count = count_until(data, second - shift);
  const std::size_t total = data.at.size();
  Stretch stretch;
  stretch.from = count > 0 ? data.at[count - 1] + shift : kBeginning;
  stretch.to = count < total ? data.at[count] + shift : kEnd;
  stretch.offset = count > 0 ? data.offset[count - 1] : data.first_offset;
  stretch.offset_before = count > 1 ? data.offset[count - 2] : data.first_offset;
  if (shift > 0 && stretch.from == data.at.back() + shift - kCycleSeconds) {
    stretch.offset_before = data.offset[total - 2];  // the cycle's first follows its last
  }
  return stretch;
}

LocalTime Zone::to_local(Instant at) const {
  const std::int64_t second = floor_seconds(at);
  const std::int64_t offset = stretch_at(second).offset;
  return {std::chrono::local_seconds{std::chrono::seconds{second + offset}},
          std::chrono::seconds{offset}};
}

LocalLookup Zone::resolve(std::chrono::local_seconds time) const {
  const std::int64_t local =
      std::clamp<std::int64_t>(time.time_since_epoch().count(), -kFarthest, kFarthest);
  Stretch stretch = stretch_at(local - kMaxOffsetSeconds);
  while (local >= stretch.to + stretch.offset) {
    const Stretch next = stretch_at(stretch.to);
    if (local < next.from + next.offset) {
      return {LocalKind::skipped, instant_of(local - stretch.offset), instant_of(next.from),
              instant_of(local - next.offset)};
    }
    stretch = next;
  }
  const Instant only = instant_of(local - stretch.offset);
  if (stretch.to >= kEnd) return {LocalKind::unique, only, only, only};
  const Stretch next = stretch_at(stretch.to);
  if (local < next.from + next.offset) return {LocalKind::unique, only, only, only};
  return {LocalKind::repeated, only, instant_of(next.from), instant_of(local - next.offset)};
}

std::optional<Transition> Zone::next_transition(Instant after) const {
  const Stretch stretch = stretch_at(floor_seconds(after));
  if (stretch.to >= kEnd) return std::nullopt;
  return transition_into(stretch_at(stretch.to));
}

std::optional<Transition> Zone::previous_transition(Instant before) const {
  return transition_into(stretch_at(ceil_seconds(before) - 1));
}

Civil to_civil(std::chrono::local_seconds time) {
  const std::int64_t second = time.time_since_epoch().count();
  const std::int64_t days = floor_div(second, kDaySeconds);
  const auto rest = static_cast<int>(second - days * kDaySeconds);
  const Date date = date_from_days(days);
  return {date.year, date.month, date.day, rest / 3600, rest / 60 % 60, rest % 60};
}

std::chrono::local_seconds from_civil(const Civil& civil) {
  const std::int64_t days = days_from_date({civil.year, civil.month, civil.day});
  return std::chrono::local_seconds{std::chrono::seconds{days * kDaySeconds + civil.hour * 3600 +
                                                         civil.minute * 60 + civil.second}};
}

std::string format_local(Instant at, Zone zone) {
  const LocalTime local = zone.to_local(at);
  const Civil civil = to_civil(local.time);
  const long long micros = (to_micros(at) % 1'000'000 + 1'000'000) % 1'000'000;
  const auto offset = static_cast<int>(local.offset.count());
  const int size = std::abs(offset);
  char text[96];
  int length = std::snprintf(text, sizeof text, "%04lld-%02d-%02dT%02d:%02d:%02d",
                             static_cast<long long>(civil.year), civil.month, civil.day, civil.hour,
                             civil.minute, civil.second);
  std::string result(text, static_cast<std::size_t>(length));
  if (micros != 0) {
    length = std::snprintf(text, sizeof text, ".%06lld", micros);
    result.append(text, static_cast<std::size_t>(length));
  }
  length = std::snprintf(text, sizeof text, "%c%02d:%02d", offset < 0 ? '-' : '+', size / 3600,
                         size / 60 % 60);
  result.append(text, static_cast<std::size_t>(length));
  if (size % 60 != 0) {
    length = std::snprintf(text, sizeof text, ":%02d", size % 60);
    result.append(text, static_cast<std::size_t>(length));
  }
  return result;
}

}  // namespace escapement::calendar
