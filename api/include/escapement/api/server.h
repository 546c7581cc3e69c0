// Server: the HTTP API of an engine.
//
// One thread serves all connections; a request becomes one engine command, its reply one response.
// Nothing is answered before the engine answered, so an acknowledgement means: committed. Every
// route but /healthz and /readyz needs the bearer token; requests with a foreign Host or Origin are
// refused, so that a web page in the owner's browser can do nothing. Plain HTTP: beyond loopback it
// belongs behind TLS. Costs one thread, and per connection some 10 KiB beside its request.
//
// `start`, `port` and `stop` may be called by any thread; the port must outlive the server.
//
//   api::ServerOptions options{.token = token, .store_name = recovered.store_name};
//   Result<std::unique_ptr<api::Server>> server = api::Server::start(std::move(options), runner);
//   if (!server.ok()) return server.error();
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "escapement/base/result.h"
#include "escapement/base/time.h"
#include "escapement/engine/runner.h"

namespace escapement::api {

inline constexpr std::size_t kDefaultPage = 100;  // of lists, when `limit` is absent
inline constexpr std::size_t kMaxPage = 1000;

// Every limit of the HTTP side. Timeouts run on the elapsed clock.
struct ServerLimits {
  std::size_t connections = 1024;        // more are answered 503 and closed
  std::size_t header_bytes = 16 * 1024;  // request line and headers together
  std::size_t header_count = 100;
  std::size_t target_bytes = 8 * 1024;  // path and query
  std::size_t body_bytes = 1024 * 1024;
  std::size_t batch_bytes = 16 * 1024 * 1024;  // the body of POST timers
  std::size_t json_depth = 32;
  Duration idle_timeout = std::chrono::seconds{60};     // between two requests
  Duration request_timeout = std::chrono::seconds{30};  // for a head, for a body, for a response
  Duration reply_timeout = std::chrono::seconds{60};    // of the engine; then 503 unknown_outcome
  Duration stop_timeout = std::chrono::seconds{5};      // for requests that are being answered
};

struct ServerOptions {
  std::string host = "127.0.0.1";        // an IP address, or "localhost"
  std::uint16_t port = 7070;             // 0: any free one
  std::string token;                     // must not be empty
  std::string store_name;                // of the open store; part of every run id
  bool allow_exec = false;               // exec targets are refused (403) unless this is set
  bool allow_in_process = false;         // in_process targets too
  std::vector<std::string> extra_hosts;  // names beside the address and the loopback names
  // Whether an http target may point here; absent: any. Its error is answered at the URL's path.
  std::function<Status(std::string_view url)> check_url;
  ServerLimits limits;
};

class Server {
 public:
  // Errors: `invalid` for a host that is no IP address and an empty token, `conflict` when the port
  // is in use, `denied` when the user may not listen there.
  static Result<std::unique_ptr<Server>> start(ServerOptions options, engine::CommandPort& engine);
  ~Server();

  std::uint16_t port() const;

  // Accepts no more, lets requests that are being answered finish (ServerLimits::stop_timeout),
  // closes all connections and ends the thread. Idempotent.
  void stop();

 private:
  class Impl;
  explicit Server(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace escapement::api
