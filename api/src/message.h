// Requests and responses as plain values, so that everything but the sockets is a pure function.
// Values; any thread.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "escapement/base/json.h"
#include "escapement/engine/command.h"

namespace escapement::api {

struct Request {
  std::string method;
  std::string target;  // path and query, as sent
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;

  // All values of a header; names are compared in any case.
  std::vector<std::string_view> values(std::string_view name) const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
};

// ASCII, any case.
bool equal_in_any_case(std::string_view a, std::string_view b);

Response json_response(int status, const Json& json);

// {"error":{"code","field"?,"message"}} with the status and headers that belong to the code.
Response error_response(const Error& error);
// The same for an engine's error: a conflict also tells "state" and "run" of what stands in the
// way.
Response error_response(const engine::Reply& reply, std::string_view store_name);

// Errors of HTTP itself, which the house's closed set of codes does not know.
Response unauthorized();                          // 401
Response method_not_allowed(std::string allow);   // 405
Response too_large(std::size_t limit);            // 413
Response target_too_long(std::size_t limit);      // 414
Response unsupported_media_type();                // 415
Response headers_too_large(std::string message);  // 431

}  // namespace escapement::api
