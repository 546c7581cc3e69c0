// The JSON form of the nouns: what the API speaks, the CLI prints and stores keep.
//
// Reading refuses unknown fields by name and answers `invalid` with the field's path; writing gives
// every field, defaults included. Field names and values are fixed: others program against them.
// Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "escapement/base/json.h"
#include "escapement/domain/job.h"
#include "escapement/domain/run.h"

namespace escapement::domain {

// {"schedule":{...},"target":{...},"retry":{...},"timeout":"30s",...}; only schedule and target
// are required. Cron's dialect is guessed by the number of fields when absent, tz defaults to UTC.
Result<JobSpec> job_spec_from_json(const Json& json);
Json to_json(const JobSpec& spec);

// {"http":{...}} | {"exec":{...}} | {"in_process":{...}}; `path` prefixes field names in errors.
Result<Target> target_from_json(const Json& json, const std::string& path);
Json to_json(const Target& target);
// Secrets hidden: values of headers named Authorization, Cookie or Proxy-Authorization or with
// "secret", "token", "password" or "key" in the name (any case) become "***".
Json to_json_redacted(const Target& target);

// The part of a timer that is stored: target, retry, timeout.
Result<TimerSpec> timer_spec_from_json(const Json& json, const std::string& path);
Json to_json(const TimerSpec& spec);

// A timer as a user sends it: {"key",..., "in":"30m" | "at":"...", "target", "retry", "timeout",
// "reuse"}; `key` only inside a batch.
struct TimerRequest {
  std::string key;
  std::optional<Duration> in;
  std::optional<Instant> at;
  std::shared_ptr<const TimerSpec> spec;
  bool reuse = false;
};
Result<TimerRequest> timer_request_from_json(const Json& json, const std::string& path);

// {"in":"5s","payload":...}; both optional; payload is a string or any JSON value.
struct TriggerRequest {
  Duration in{};
  std::optional<std::string> payload;
};
Result<TriggerRequest> trigger_request_from_json(const Json& json);

// {"app","name","revision","schedule",...all fields of the spec...,"next_due","created_at",
//  "updated_at","counters":{...},"state":"active"|"paused"}
Json to_json(const Job& job);
// {"id","app","job"|"key","origin","due","next_attempt_at","state","attempt","created_at",
//  "finished_at","reason","lateness_ms"?...}; timers also carry target, retry and timeout.
Json to_json(const Run& run, std::string_view store_name);
Json to_json(const Attempt& attempt);
Json to_json(const Counters& counters);

// App, job name or timer key; `field` names it in the error.
Status check_name(std::string_view name, const std::string& field);

}  // namespace escapement::domain
