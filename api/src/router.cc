#include "router.h"

#include <algorithm>
#include <span>

namespace escapement::api {
namespace {

struct Route {
  std::string_view method;
  std::string_view pattern;  // "{}" stands for one segment
  Handler handler;
};

constexpr std::string_view kBatch = "/api/v1/apps/{}/timers";

constexpr Route kRoutes[] = {
    {"GET", "/healthz", healthz},
    {"GET", "/readyz", readyz},
    {"GET", "/metrics", metrics},
    {"GET", "/api/v1/apps/{}/jobs", list_jobs},
    {"PUT", "/api/v1/apps/{}/jobs/{}", put_job},
    {"GET", "/api/v1/apps/{}/jobs/{}", get_job},
    {"DELETE", "/api/v1/apps/{}/jobs/{}", delete_job},
    {"POST", "/api/v1/apps/{}/jobs/{}/trigger", trigger_job},
    {"POST", "/api/v1/apps/{}/jobs/{}/pause", pause_job},
    {"POST", "/api/v1/apps/{}/jobs/{}/resume", resume_job},
    {"GET", kBatch, list_timers},
    {"POST", kBatch, put_timers},
    {"PUT", "/api/v1/apps/{}/timers/{}", put_timer},
    {"GET", "/api/v1/apps/{}/timers/{}", get_timer},
    {"DELETE", "/api/v1/apps/{}/timers/{}", delete_timer},
    {"GET", "/api/v1/runs", list_runs},
    {"GET", "/api/v1/runs/{}", get_run},
};

// Matches segment by segment; collects what stands for "{}".
bool matches(std::string_view pattern, std::span<const std::string> segments,
             std::vector<std::string>& names) {
  names.clear();
  for (const std::string& segment : segments) {
    if (pattern.empty()) return false;
    pattern.remove_prefix(1);
    const std::string_view expected = pattern.substr(0, pattern.find('/'));
    pattern.remove_prefix(expected.size());
    if (expected == "{}") {
      names.push_back(segment);
    } else if (expected != segment) {
      return false;
    }
  }
  return pattern.empty();
}

// A HEAD is a GET whose body is not sent.
std::string_view routed_method(const Request& request) {
  return request.method == "HEAD" ? std::string_view("GET") : std::string_view(request.method);
}

struct Found {
  const Route* route = nullptr;
  std::vector<std::string> names;
  std::string allow;  // the methods of this path, when there are any
};

Found find_route(std::string_view method, const Target& target) {
  Found found;
  for (const Route& route : kRoutes) {
    std::vector<std::string> names;
    if (!matches(route.pattern, target.segments, names)) continue;
    found.allow += (found.allow.empty() ? "" : ", ") + std::string(route.method);
    if (route.method == "GET") found.allow += ", HEAD";
    if (route.method != method) continue;
    found.route = &route;
    found.names = std::move(names);
  }
  return found;
}

bool is_open(const Request& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  return path == "/healthz" || path == "/readyz";
}

bool has_body(const Request& head) {
  const auto lengths = head.values("Content-Length");
  const bool some = std::any_of(lengths.begin(), lengths.end(),
                                [](std::string_view length) { return length != "0"; });
  return some || !head.values("Transfer-Encoding").empty();
}

bool is_json(const Request& request) {
  const auto types = request.values("Content-Type");
  if (types.size() != 1) return false;
  std::string_view type = types[0].substr(0, types[0].find(';'));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return equal_in_any_case(type, "application/json");
}

// A body that the route would read must be JSON.
bool has_wrong_type(const Request& request) {
  const bool read = request.method == "PUT" || request.method == "POST";
  return read && (!request.body.empty() || has_body(request)) && !is_json(request);
}

using Judged = std::variant<Response, Found>;

Judged judge_route(const Request& request, const Target& target) {
  Found found = find_route(routed_method(request), target);
  if (found.allow.empty()) {
    return error_response(Error{ErrorCode::not_found, "no such path in this API", ""});
  }
  if (!found.route) return method_not_allowed(found.allow);
  if (has_wrong_type(request)) return unsupported_media_type();
  return found;
}

std::size_t body_limit(const Route& route, const ServerLimits& limits) {
  const bool batch = route.pattern == kBatch && route.method == "POST";
  return batch ? limits.batch_bytes : limits.body_bytes;
}

}  // namespace

Router::Router(ServerOptions options) : options_(std::move(options)), gate_(options_) {}

std::optional<Response> Router::refuse_size(const Request& head) const {
  if (head.target.size() > options_.limits.target_bytes) {
    return target_too_long(options_.limits.target_bytes);
  }
  if (head.headers.size() <= options_.limits.header_count) return std::nullopt;
  return headers_too_large("the request must have at most " +
                           std::to_string(options_.limits.header_count) + " headers");
}

std::variant<Response, std::size_t> Router::judge(const Request& head) const {
  if (std::optional<Response> refused = refuse_size(head)) return std::move(*refused);
  if (std::optional<Response> refused = gate_.refuse(head, is_open(head))) {
    return std::move(*refused);
  }
  const Result<Target> target = parse_target(head.target);
  if (!target.ok()) return error_response(target.error());
  Judged judged = judge_route(head, *target);
  if (auto* refused = std::get_if<Response>(&judged)) return std::move(*refused);
  return body_limit(*std::get<Found>(judged).route, options_.limits);
}

Outcome Router::handle(const Request& request) const {
  std::variant<Response, std::size_t> judged = judge(request);
  if (auto* refused = std::get_if<Response>(&judged)) return std::move(*refused);
  const std::size_t limit = std::get<std::size_t>(judged);
  if (request.body.size() > limit) return too_large(limit);
  Result<Target> target = parse_target(request.target);
  ESCAPEMENT_CHECK(target.ok());
  Found found = find_route(routed_method(request), *target);
  ESCAPEMENT_CHECK(found.route != nullptr);
  return found.route->handler(
      Context{options_, request, std::move(found.names), std::move(target->query)});
}

Response Router::respond(const Call& call, const engine::Reply& reply) const {
  if (!reply.result.ok()) return error_response(reply, options_.store_name);
  return call.respond(*reply.result);
}

}  // namespace escapement::api
