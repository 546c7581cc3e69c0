// Jobs as JSON: the spec that a user writes, and the job that he reads.
#include "codec_policy.h"
#include "codec_schedule.h"
#include "escapement/domain/codec.h"

namespace escapement::domain {
namespace {

std::optional<Schedule> read_schedule(JsonReader& reader) {
  const Json* json = reader.value("schedule");
  if (json) return take(reader, schedule_from_json(*json, reader.path_of("schedule")));
  reader.fail("schedule", "is required");
  return std::nullopt;
}

Json instant_or_null(Instant at) { return at == kNever ? Json() : Json(format_instant(at)); }

}  // namespace

Result<JobSpec> job_spec_from_json(const Json& json) {
  JsonReader reader(json, "");
  std::optional<Schedule> schedule = read_schedule(reader);
  std::optional<Target> target = read_target(reader);
  if (!schedule || !target) return reader.finish().error();
  JobSpec spec{.schedule = std::move(*schedule), .target = std::move(*target)};
  assign(spec.retry, read_retry(reader));
  assign(spec.timeout, read_timeout(reader));
  assign(spec.catch_up, read_catch_up(reader));
  assign(spec.overlap, read_overlap(reader));
  assign(spec.on_unknown, read_on_unknown(reader));
  assign(spec.description, reader.string("description", kMaxDescriptionBytes));
  assign(spec.enabled, reader.boolean("enabled"));
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  return spec;
}

Json to_json(const JobSpec& spec) {
  return {{"schedule", to_json(spec.schedule)},
          {"target", to_json(spec.target)},
          {"retry", to_json(spec.retry)},
          {"timeout", format_duration(spec.timeout)},
          {"catch_up", to_json(spec.catch_up)},
          {"overlap", to_json(spec.overlap)},
          {"on_unknown", to_json(spec.on_unknown)},
          {"description", spec.description},
          {"enabled", spec.enabled}};
}

Json to_json(const Job& job) {
  ESCAPEMENT_CHECK(job.spec != nullptr);
  Json json = to_json(*job.spec);
  json["app"] = job.app;
  json["name"] = job.name;
  json["revision"] = job.revision;
  json["next_due"] = instant_or_null(job.next_due);
  json["created_at"] = format_instant(job.created_at);
  json["updated_at"] = format_instant(job.updated_at);
  json["counters"] = to_json(job.counters);
  json["state"] = job.spec->enabled ? "active" : "paused";
  return json;
}

}  // namespace escapement::domain
