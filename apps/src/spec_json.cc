#include "spec_json.h"

#include <charconv>

namespace escapement::apps {
namespace {

std::string trimmed(std::string text) {
  std::size_t first = text.find_first_not_of(" \t");
  std::size_t last = text.find_last_not_of(" \t");
  return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

void add(Json& json, const char* name, const std::string& value) {
  if (!value.empty()) json[name] = value;
}

int kinds_of(const ScheduleOptions& options) {
  return int{!options.cron.empty()} + int{!options.every.empty()} +
         int{!options.fixed_delay.empty()} + int{!options.at.empty()} + int{options.manual};
}

// An object or array is sent as JSON, anything else as text.
Json body_json(const std::string& body) {
  if (body.starts_with('{') || body.starts_with('[')) {
    if (Result<Json> json = parse_json(body); json.ok()) return *json;
  }
  return body;
}

Result<Json> http_json(const TargetOptions& options) {
  std::size_t scheme = options.http.find("://");
  std::size_t equals = options.http.find('=');
  bool has_method = equals != std::string::npos && (scheme == std::string::npos || equals < scheme);
  Json http{{"method", has_method ? options.http.substr(0, equals) : "POST"},
            {"url", has_method ? options.http.substr(equals + 1) : options.http}};
  for (const std::string& header : options.headers) {
    std::size_t colon = header.find(':');
    if (colon == std::string::npos || colon == 0) {
      return invalid("header", "'" + header + "' is not of the form 'Name: value'");
    }
    http["headers"][header.substr(0, colon)] = trimmed(header.substr(colon + 1));
  }
  if (!options.body.empty()) http["body"] = body_json(options.body);
  return Json{{"http", std::move(http)}};
}

Result<Json> exec_json(const TargetOptions& options) {
  if (options.argv.empty()) {
    return invalid("exec", "the command is missing: --exec -- PROGRAM ARGUMENTS");
  }
  Json exec{{"argv", options.argv}};
  add(exec, "stdin", options.stdin_text);
  add(exec, "cwd", options.cwd);
  add(exec, "user", options.user);
  for (const std::string& variable : options.env) {
    std::size_t equals = variable.find('=');
    if (equals == std::string::npos || equals == 0) {
      return invalid("env", "'" + variable + "' is not of the form NAME=VALUE");
    }
    exec["env"][variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  return Json{{"exec", std::move(exec)}};
}

bool states_exec(const TargetOptions& options) {
  return !options.stdin_text.empty() || !options.env.empty() || !options.cwd.empty() ||
         !options.user.empty();
}

// "all:50" is {"policy":"all","limit":50}.
Result<Json> policy_json(const char* field, const std::string& text) {
  std::size_t colon = text.find(':');
  Json policy{{"policy", text.substr(0, colon)}};
  if (colon == std::string::npos) return policy;
  std::int64_t limit = 0;
  const char* end = text.data() + text.size();
  auto [rest, failed] = std::from_chars(text.data() + colon + 1, end, limit);
  if (failed != std::errc() || rest != end) {
    return invalid(field, "'" + text.substr(colon + 1) + "' is no number, expected POLICY:LIMIT");
  }
  policy["limit"] = limit;
  return policy;
}

Status add_policy(Json& spec, const char* field, const std::string& text) {
  if (text.empty()) return {};
  Result<Json> policy = policy_json(field, text);
  if (!policy.ok()) return policy.error();
  spec[field] = *policy;
  return {};
}

}  // namespace

Result<Json> schedule_json(const ScheduleOptions& options) {
  if (kinds_of(options) != 1) {
    return invalid("schedule",
                   "give exactly one of --cron, --every, --fixed-delay, --at, --manual");
  }
  if (options.cron.empty() && !(options.zone.empty() && options.dialect.empty())) {
    return invalid("schedule", "--tz and --dialect belong to --cron");
  }
  if (options.every.empty() && !options.anchor.empty()) {
    return invalid("schedule", "--anchor belongs to --every");
  }
  Json schedule = Json::object();
  add(schedule, "cron", options.cron);
  add(schedule, "tz", options.zone);
  add(schedule, "dialect", options.dialect);
  add(schedule, "every", options.every);
  add(schedule, "anchor", options.anchor);
  add(schedule, "fixed_delay", options.fixed_delay);
  add(schedule, "at", options.at);
  if (options.manual) schedule["manual"] = true;
  return schedule;
}

Result<Json> target_json(const TargetOptions& options) {
  if (options.exec == !options.http.empty()) {
    return invalid("target", "give exactly one of --http METHOD=URL and --exec -- PROGRAM …");
  }
  if (!options.exec && (states_exec(options) || !options.argv.empty())) {
    return invalid("target", "--stdin, --env, --cwd, --user and what follows -- belong to --exec");
  }
  if (options.exec && !(options.headers.empty() && options.body.empty())) {
    return invalid("target", "--header and --body belong to --http");
  }
  return options.exec ? exec_json(options) : http_json(options);
}

Status add_policies(const PolicyOptions& options, Json& spec) {
  add(spec, "timeout", options.timeout);
  add(spec, "description", options.description);
  if (options.max_attempts != 0) spec["retry"]["max_attempts"] = options.max_attempts;
  if (options.paused) spec["enabled"] = false;
  if (Status status = add_policy(spec, "catch_up", options.catch_up); !status.ok()) return status;
  return add_policy(spec, "overlap", options.overlap);
}

}  // namespace escapement::apps
