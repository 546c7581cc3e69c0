#include "handler_detail.h"

namespace escapement::api {
namespace {

std::optional<std::string> read_name(QueryReader& reader, const std::string& field) {
  std::optional<std::string> name = reader.string(field);
  if (!name) return std::nullopt;
  const Status status = domain::check_name(*name, field);
  if (!status.ok()) reader.fail(status.error());
  return name;
}

Json run_json(const engine::RunReply& reply, std::string_view store_name) {
  Json json = domain::to_json(reply.run, store_name);
  Json& attempts = json["attempts"] = Json::array();
  for (const domain::Attempt& attempt : reply.attempts) {
    attempts.push_back(domain::to_json(attempt));
  }
  return json;
}

}  // namespace

Outcome list_runs(const Context& context) {
  QueryReader reader(context.query);
  engine::ListRuns filter = read_run_filter(reader, context.options);
  filter.app = read_name(reader, "app");
  filter.job = read_name(reader, "job");
  filter.key = read_name(reader, "key");
  if (const Status status = reader.finish(); !status.ok()) return error_response(status.error());
  return Call{engine::QueryRuns{std::move(filter)},
              [store = context.options.store_name](const engine::ReplyBody& body) {
                return json_response(
                    200, run_list_json(std::get<engine::RunListReply>(body), "runs", store));
              }};
}

Outcome get_run(const Context& context) {
  if (const Status status = refuse_query(context); !status.ok()) {
    return error_response(status.error());
  }
  const auto id = domain::parse_run_id(context.options.store_name, context.names[0]);
  if (!id) return error_response(Error{ErrorCode::not_found, "no such run", ""});
  return Call{engine::ShowRun{*id},
              [store = context.options.store_name](const engine::ReplyBody& body) {
                return json_response(200, run_json(std::get<engine::RunReply>(body), store));
              }};
}

}  // namespace escapement::api
