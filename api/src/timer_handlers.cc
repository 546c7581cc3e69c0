#include <unordered_set>

#include "handler_detail.h"

namespace escapement::api {
namespace {

Status check_timer_path(const Context& context) {
  if (Status status = check_path(context, "key"); !status.ok()) return status;
  return refuse_query(context);
}

Result<domain::TimerRequest> read_timer(const Context& context, const Json& json,
                                        const std::string& path) {
  Result<domain::TimerRequest> request = domain::timer_request_from_json(json, path);
  if (!request.ok()) return request;
  const std::string target = path.empty() ? "target" : path + ".target";
  const Status allowed = check_target(context.options, request->spec->target, target);
  if (!allowed.ok()) return allowed.error();
  return request;
}

Result<domain::TimerRequest> read_single(const Context& context) {
  const Result<Json> json = json_body(context, context.options.limits.body_bytes);
  if (!json.ok()) return json.error();
  Result<domain::TimerRequest> request = read_timer(context, *json, "");
  if (request.ok()) request->key = context.names[1];
  return request;
}

Status check_batch_size(std::size_t size) {
  if (size >= 1 && size <= domain::kMaxTimersPerBatch) return {};
  return invalid("timers", "must have 1 to " + std::to_string(domain::kMaxTimersPerBatch) +
                               " timers, not " + std::to_string(size));
}

Result<std::vector<domain::TimerRequest>> read_items(const Context& context, const Json& items) {
  const Status sized = check_batch_size(items.size());
  if (!sized.ok()) return sized.error();
  std::vector<domain::TimerRequest> timers;
  std::unordered_set<std::string> keys;
  timers.reserve(items.size());
  for (const Json& item : items) {
    const std::string path = "timers[" + std::to_string(timers.size()) + "]";
    Result<domain::TimerRequest> request = read_timer(context, item, path);
    if (!request.ok()) return request.error();
    if (!keys.insert(request->key).second) return invalid(path + ".key", "occurs twice here");
    timers.push_back(std::move(*request));
  }
  return timers;
}

Result<std::vector<domain::TimerRequest>> read_batch(const Context& context) {
  const Result<Json> json = json_body(context, context.options.limits.batch_bytes);
  if (!json.ok()) return json.error();
  JsonReader reader(*json, "");
  const Json* items = reader.array("timers");
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  if (!items) return invalid("timers", "is required");
  return read_items(context, *items);
}

Outcome put_all(const Context& context, std::vector<domain::TimerRequest> timers,
                std::function<Response(const engine::ReplyBody&)> respond) {
  Result<std::string> key = idempotency_key(context);
  if (!key.ok()) return error_response(key.error());
  return Call{engine::PutTimers{context.names[0], std::move(timers), std::move(*key)},
              std::move(respond)};
}

Json batch_json(const engine::RunsReply& reply, std::string_view store_name) {
  Json timers = Json::array();
  for (const domain::Run& run : reply.runs) timers.push_back(domain::to_json(run, store_name));
  return {{"timers", std::move(timers)}};
}

// A route that only names a timer.
template <typename Command>
Outcome about_timer(const Context& context) {
  if (const Status status = check_timer_path(context); !status.ok()) {
    return error_response(status.error());
  }
  return Call{Command{context.names[0], context.names[1]},
              [store = context.options.store_name](const engine::ReplyBody& body) {
                return json_response(200, domain::to_json(single_run(body), store));
              }};
}

}  // namespace

Outcome put_timer(const Context& context) {
  if (const Status status = check_timer_path(context); !status.ok()) {
    return error_response(status.error());
  }
  Result<domain::TimerRequest> request = read_single(context);
  if (!request.ok()) return error_response(request.error());
  return put_all(context, {std::move(*request)},
                 [store = context.options.store_name](const engine::ReplyBody& body) {
                   const auto& reply = std::get<engine::RunsReply>(body);
                   const bool created = !reply.created.empty() && reply.created.front();
                   return json_response(created ? 201 : 200,
                                        domain::to_json(single_run(body), store));
                 });
}

Outcome put_timers(const Context& context) {
  if (const Status status = check_timer_path(context); !status.ok()) {
    return error_response(status.error());
  }
  Result<std::vector<domain::TimerRequest>> timers = read_batch(context);
  if (!timers.ok()) return error_response(timers.error());
  return put_all(context, std::move(*timers),
                 [store = context.options.store_name](const engine::ReplyBody& body) {
                   return json_response(200, batch_json(std::get<engine::RunsReply>(body), store));
                 });
}

Outcome get_timer(const Context& context) { return about_timer<engine::ShowTimer>(context); }
Outcome delete_timer(const Context& context) { return about_timer<engine::CancelTimer>(context); }

Outcome list_timers(const Context& context) {
  if (const Status status = check_path(context, ""); !status.ok()) {
    return error_response(status.error());
  }
  QueryReader reader(context.query);
  engine::ListRuns filter = read_run_filter(reader, context.options);
  filter.app = context.names[0];
  filter.origin = domain::RunOrigin::timer;
  if (const Status status = reader.finish(); !status.ok()) return error_response(status.error());
  return Call{engine::QueryRuns{std::move(filter)},
              [store = context.options.store_name](const engine::ReplyBody& body) {
                return json_response(
                    200, run_list_json(std::get<engine::RunListReply>(body), "timers", store));
              }};
}

}  // namespace escapement::api
