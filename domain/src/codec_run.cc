// Runs, attempts and counters as JSON; written only.
#include "escapement/domain/codec.h"

namespace escapement::domain {
namespace {

Json instant_or_null(const std::optional<Instant>& at) {
  return at ? Json(format_instant(*at)) : Json();
}

void add_owner(Json& json, const Run& run) {
  json["app"] = run.app;
  if (run.origin == RunOrigin::timer) {
    json["key"] = run.key;
  } else {
    json["job"] = run.job;
  }
}

}  // namespace

Json to_json(const Run& run, std::string_view store_name) {
  Json json = run.timer ? to_json(*run.timer) : Json::object();
  add_owner(json, run);
  json["id"] = format_run_id(store_name, run.id);
  json["origin"] = to_string(run.origin);
  json["due"] = format_instant(run.due);
  json["next_attempt_at"] = format_instant(run.next_attempt_at);
  json["state"] = to_string(run.state);
  json["attempt"] = run.attempt;
  json["created_at"] = format_instant(run.created_at);
  json["finished_at"] = instant_or_null(run.finished_at);
  json["reason"] = run.reason;
  if (run.payload) json["payload"] = *run.payload;
  return json;
}

Json to_json(const Attempt& attempt) {
  return {{"number", attempt.number},
          {"term", attempt.term},
          {"state", to_string(attempt.state)},
          {"started_at", format_instant(attempt.started_at)},
          {"finished_at", instant_or_null(attempt.finished_at)},
          {"lateness_ms", static_cast<double>(attempt.lateness.count()) / 1000},
          {"status", attempt.status},
          {"error", attempt.error},
          {"output", attempt.output}};
}

Json to_json(const Counters& counters) {
  return {{"produced", counters.produced},   {"live", counters.live()},
          {"succeeded", counters.succeeded}, {"failed", counters.failed},
          {"cancelled", counters.cancelled}, {"skipped", counters.skipped}};
}

}  // namespace escapement::domain
