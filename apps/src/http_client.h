// One HTTP/1.1 request to the server, and its answer.
//
// The only place of this room that knows Boost.Beast. Every call opens a connection of its own,
// blocks its thread for at most kClientTimeout a step, and reads at most kMaxAnswerBytes. Plain
// http only: a server beyond loopback stands behind a proxy that speaks TLS.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "escapement/base/result.h"
#include "escapement/base/time.h"

namespace escapement::apps {

inline constexpr Duration kClientTimeout = std::chrono::seconds{30};
inline constexpr std::size_t kMaxAnswerBytes = 64 << 20;

struct ServerAddress {
  std::string host = "127.0.0.1";
  std::string port = "7070";
};

// "http://127.0.0.1:7070", a bare "127.0.0.1:7070", "http://[::1]:7070/". Error: `invalid`.
Result<ServerAddress> parse_server_url(std::string_view url);

struct HttpCall {
  std::string method = "GET";
  std::string target;
  std::string token;
  std::string body;  // JSON; empty: none
};
struct HttpAnswer {
  int status = 0;
  std::string body;
};

// Error: `unavailable` when nobody answers.
Result<HttpAnswer> http_call(const ServerAddress& address, const HttpCall& call);

// Percent-encodes everything but unreserved characters, for one segment of a path or a query.
std::string url_encoded(std::string_view text);

}  // namespace escapement::apps
