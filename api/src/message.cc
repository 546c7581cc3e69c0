#include "message.h"

#include <algorithm>

namespace escapement::api {
namespace {

constexpr const char* kRetrySoon = "1";
constexpr const char* kRetryFull = "60";  // a full disk does not empty itself

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return 400;
    case ErrorCode::denied:
      return 403;
    case ErrorCode::not_found:
      return 404;
    case ErrorCode::conflict:
      return 409;
    case ErrorCode::busy:
      return 429;
    case ErrorCode::full:
      return 507;
    case ErrorCode::fenced:
    case ErrorCode::unavailable:
    case ErrorCode::unknown_outcome:
      return 503;
  }
  return 500;
}

Json error_json(const Error& error) {
  Json json{{"code", to_string(error.code)}, {"message", error.message}};
  if (!error.field.empty()) json["field"] = error.field;
  return json;
}

Response from_error_json(ErrorCode code, Json json) {
  Response response = json_response(status_of(code), {{"error", std::move(json)}});
  if (response.status == 507) response.headers.emplace_back("Retry-After", kRetryFull);
  if (response.status == 429 || response.status == 503) {
    response.headers.emplace_back("Retry-After", kRetrySoon);
  }
  return response;
}

Response http_error(int status, std::string_view code, std::string message) {
  return json_response(status, {{"error", {{"code", code}, {"message", std::move(message)}}}});
}

}  // namespace

bool equal_in_any_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::vector<std::string_view> Request::values(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& [known, value] : headers) {
    if (equal_in_any_case(known, name)) found.push_back(value);
  }
  return found;
}

Response json_response(int status, const Json& json) {
  Response response;
  response.status = status;
  response.body = dump_json(json) + "\n";
  return response;
}

Response error_response(const Error& error) {
  return from_error_json(error.code, error_json(error));
}

Response error_response(const engine::Reply& reply, std::string_view store_name) {
  const Error& error = reply.result.error();
  Json json = error_json(error);
  if (reply.current) {
    json["state"] = domain::to_string(reply.current->state);
    json["run"] = domain::format_run_id(store_name, reply.current->id);
  }
  return from_error_json(error.code, std::move(json));
}

Response unauthorized() {
  Response response = http_error(
      401, "unauthorized", "this needs the header Authorization: Bearer <the server's token>");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

Response method_not_allowed(std::string allow) {
  Response response = http_error(405, "method_not_allowed", "allowed here: " + allow);
  response.headers.emplace_back("Allow", std::move(allow));
  return response;
}

Response too_large(std::size_t limit) {
  return http_error(413, "too_large",
                    "the body must have at most " + std::to_string(limit) + " bytes");
}

Response target_too_long(std::size_t limit) {
  return http_error(414, "too_large",
                    "path and query must have at most " + std::to_string(limit) + " bytes");
}

Response unsupported_media_type() {
  return http_error(415, "unsupported_media_type", "a body needs Content-Type: application/json");
}

Response headers_too_large(std::string message) {
  return http_error(431, "too_large", std::move(message));
}

}  // namespace escapement::api
