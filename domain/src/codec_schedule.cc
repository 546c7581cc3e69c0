#include "codec_schedule.h"

#include "codec_detail.h"
#include "escapement/calendar/zone.h"

namespace escapement::domain {
namespace {

using calendar::Cron;
using calendar::Dialect;
using calendar::Zone;

constexpr std::array<std::string_view, 5> kKinds{"cron", "every", "fixed_delay", "at", "manual"};
constexpr Names<Dialect, 2> kDialects{{{Dialect::kUnix, "unix"}, {Dialect::kQuartz, "quartz"}}};

// The same error, at the field it is about.
Error at_field(const JsonReader& reader, std::string_view field, Error error) {
  error.code = ErrorCode::invalid;
  error.field = reader.path_of(field);
  return error;
}

std::optional<Zone> read_zone(JsonReader& reader) {
  const std::optional<std::string> name = reader.string("tz", calendar::kMaxZoneNameBytes);
  if (reader.failed()) return std::nullopt;
  const Result<Zone> zone = Zone::load(name.value_or("UTC"));
  if (zone.ok()) return *zone;
  reader.fail(at_field(reader, "tz", zone.error()));
  return std::nullopt;
}

std::optional<Schedule> read_cron(JsonReader& reader) {
  const std::optional<std::string> text = reader.string("cron");
  const std::optional<Dialect> dialect = choice(reader, "dialect", kDialects);
  const std::optional<Zone> zone = read_zone(reader);
  if (!text || !zone) return std::nullopt;
  Result<Cron> cron = Cron::parse(*text, dialect.value_or(calendar::guess_dialect(*text)), *zone);
  if (!cron.ok()) {
    reader.fail(at_field(reader, "cron", cron.error()));
    return std::nullopt;
  }
  // "@every" has no anchor of its own; as a fixed rate it has one and does not drift.
  if (const std::optional<Duration> period = cron->every()) {
    return EverySchedule{.period = *period, .anchor = std::nullopt};
  }
  return CronSchedule{std::move(*cron)};
}

std::optional<Schedule> read_every(JsonReader& reader) {
  const std::optional<Duration> period = bounded_duration(reader, "every", {kMinPeriod});
  const std::optional<Instant> anchor = reader.instant("anchor");
  if (!period) return std::nullopt;
  return EverySchedule{.period = *period, .anchor = anchor};
}

std::optional<Schedule> read_fixed_delay(JsonReader& reader) {
  const std::optional<Duration> delay = bounded_duration(reader, "fixed_delay", {kMinPeriod});
  if (!delay) return std::nullopt;
  return FixedDelaySchedule{*delay};
}

std::optional<Schedule> read_at(JsonReader& reader) {
  const std::optional<Instant> at = reader.instant("at");
  if (!at) return std::nullopt;
  return AtSchedule{*at};
}

std::optional<Schedule> read_manual(JsonReader& reader) {
  const std::optional<bool> manual = reader.boolean("manual");
  if (manual && !*manual) reader.fail("manual", "must be true, or absent");
  return ManualSchedule{};
}

// The one kind that is there; an error when there are none or several.
Result<std::string_view> find_kind(const Json& json, const std::string& path) {
  std::string_view found;
  std::size_t count = 0;
  for (const std::string_view kind : kKinds) {
    if (!json.contains(kind)) continue;
    found = kind;
    ++count;
  }
  if (count == 1) return found;
  return invalid(path, "must have exactly one of cron, every, fixed_delay, at and manual; it has " +
                           std::to_string(count));
}

std::optional<Schedule> read_kind(JsonReader& reader, std::string_view kind) {
  if (kind == "cron") return read_cron(reader);
  if (kind == "every") return read_every(reader);
  if (kind == "fixed_delay") return read_fixed_delay(reader);
  if (kind == "at") return read_at(reader);
  return read_manual(reader);
}

Json cron_to_json(const Cron& cron) {
  return {{"cron", cron.text()},
          {"dialect", name_of(kDialects, cron.dialect())},
          {"tz", cron.zone().name()}};
}

struct Writer {
  Json operator()(const CronSchedule& schedule) const { return cron_to_json(schedule.cron); }
  Json operator()(const EverySchedule& schedule) const {
    Json json{{"every", format_duration(schedule.period)}};
    if (schedule.anchor) json["anchor"] = format_instant(*schedule.anchor);
    return json;
  }
  Json operator()(const FixedDelaySchedule& schedule) const {
    return {{"fixed_delay", format_duration(schedule.delay)}};
  }
  Json operator()(const AtSchedule& schedule) const {
    return {{"at", format_instant(schedule.at)}};
  }
  Json operator()(const ManualSchedule&) const { return {{"manual", true}}; }
};

}  // namespace

Result<Schedule> schedule_from_json(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  if (reader.failed()) return reader.finish().error();
  const Result<std::string_view> kind = find_kind(json, path);
  if (!kind.ok()) return kind.error();
  std::optional<Schedule> schedule = read_kind(reader, *kind);
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  return std::move(*schedule);
}

Json to_json(const Schedule& schedule) { return std::visit(Writer{}, schedule); }

}  // namespace escapement::domain
