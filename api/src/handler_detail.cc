#include "handler_detail.h"

#include <algorithm>

namespace escapement::api {
namespace {

bool is_visible(char c) { return c > 0x20 && c < 0x7f; }

// A target that this server keeps for itself.
Error not_allowed(std::string field, std::string message) {
  return Error{ErrorCode::denied, std::move(message), std::move(field)};
}

}  // namespace

Status refuse_query(const Context& context) { return QueryReader(context.query).finish(); }

Status check_path(const Context& context, const std::string& second_field) {
  ESCAPEMENT_CHECK(!context.names.empty());
  if (Status status = domain::check_name(context.names[0], "app"); !status.ok()) return status;
  if (context.names.size() == 1) return {};
  return domain::check_name(context.names[1], second_field);
}

Result<Json> json_body(const Context& context, std::size_t max_bytes) {
  if (context.request.body.empty()) return invalid("", "a JSON body is required");
  return parse_json(context.request.body,
                    {.bytes = max_bytes, .depth = context.options.limits.json_depth});
}

Result<std::string> idempotency_key(const Context& context) {
  const std::string field = "Idempotency-Key";
  const auto values = context.request.values(field);
  if (values.empty()) return std::string();
  if (values.size() > 1) return invalid(field, "the header is given twice");
  const std::string_view value = values[0];
  if (value.empty() || value.size() > domain::kMaxIdempotencyKeyBytes) {
    return invalid(field, "must have 1 to " + std::to_string(domain::kMaxIdempotencyKeyBytes) +
                              " bytes, not " + std::to_string(value.size()));
  }
  if (!std::all_of(value.begin(), value.end(), is_visible)) {
    return invalid(field, "must be visible ASCII without spaces");
  }
  return std::string(value);
}

Status check_target(const ServerOptions& options, const domain::Target& target,
                    const std::string& path) {
  if (std::holds_alternative<domain::ExecTarget>(target) && !options.allow_exec) {
    return not_allowed(path + ".exec", "this server runs no programs; start it with --allow-exec");
  }
  if (std::holds_alternative<domain::InProcessTarget>(target) && !options.allow_in_process) {
    return not_allowed(
        path + ".in_process",
        "in_process targets exist only where the scheduler is embedded in a program");
  }
  const auto* http = std::get_if<domain::HttpTarget>(&target);
  if (!http || !options.check_url) return {};
  const Status status = options.check_url(http->url);
  if (status.ok()) return {};
  return Error{status.error().code, status.error().message, path + ".http.url"};
}

std::size_t read_limit(QueryReader& reader) {
  const auto limit = reader.integer("limit", {1, static_cast<std::int64_t>(kMaxPage)});
  return limit ? static_cast<std::size_t>(*limit) : kDefaultPage;
}

std::optional<domain::RunId> read_run_cursor(QueryReader& reader, const ServerOptions& options) {
  const std::optional<std::string> text = reader.string("cursor");
  if (!text) return std::nullopt;
  const std::optional<domain::RunId> id = domain::parse_run_id(options.store_name, *text);
  if (!id) reader.fail(invalid("cursor", "is no next_cursor of this server"));
  return id;
}

engine::ListRuns read_run_filter(QueryReader& reader, const ServerOptions& options) {
  engine::ListRuns filter;
  if (const std::optional<std::string> state = reader.string("state")) {
    filter.state = domain::run_state_from(*state);
    if (!filter.state) {
      reader.fail(invalid("state",
                          "must be planned, armed, dispatched, running, succeeded, failed, "
                          "cancelled or skipped"));
    }
  }
  filter.due_from = reader.instant("due_from");
  filter.due_to = reader.instant("due_to");
  filter.before = read_run_cursor(reader, options);
  filter.limit = read_limit(reader);
  return filter;
}

Json run_list_json(const engine::RunListReply& reply, const std::string& name,
                   std::string_view store_name) {
  Json runs = Json::array();
  for (const domain::Run& run : reply.runs) runs.push_back(domain::to_json(run, store_name));
  Json json{{name, std::move(runs)}, {"next_cursor", nullptr}};
  if (reply.more && !reply.runs.empty()) {
    json["next_cursor"] = domain::format_run_id(store_name, reply.runs.back().id);
  }
  return json;
}

const domain::Run& single_run(const engine::ReplyBody& body) {
  if (const auto* reply = std::get_if<engine::RunReply>(&body)) return reply->run;
  const auto& runs = std::get<engine::RunsReply>(body).runs;
  ESCAPEMENT_CHECK(runs.size() == 1);
  return runs.front();
}

}  // namespace escapement::api
