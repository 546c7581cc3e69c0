// What the handlers share. Any thread.
#pragma once

#include <optional>
#include <string>

#include "handlers.h"

namespace escapement::api {

// The path's app and, if there is one, the name or key after it. Query parameters are refused.
Status check_path(const Context& context, const std::string& second_field);
Status refuse_query(const Context& context);

// The JSON of the body; `invalid` when there is none.
Result<Json> json_body(const Context& context, std::size_t max_bytes);

// The Idempotency-Key header; empty when absent.
Result<std::string> idempotency_key(const Context& context);

// Whether this server lets anybody use the target; `path` is that of the target in errors.
Status check_target(const ServerOptions& options, const domain::Target& target,
                    const std::string& path);

// The `limit` of a list.
std::size_t read_limit(QueryReader& reader);
// A run's id in a cursor.
std::optional<domain::RunId> read_run_cursor(QueryReader& reader, const ServerOptions& options);
// Filters of runs: state, due_from, due_to, cursor and limit.
engine::ListRuns read_run_filter(QueryReader& reader, const ServerOptions& options);

// {"<name>":[runs],"next_cursor"}
Json run_list_json(const engine::RunListReply& reply, const std::string& name,
                   std::string_view store_name);

// The one run of a reply that is about one run.
const domain::Run& single_run(const engine::ReplyBody& body);

}  // namespace escapement::api
