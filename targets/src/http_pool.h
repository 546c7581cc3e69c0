// Connections by origin: kept alive, reused newest first, at most kMaxConnectionsPerOrigin each.
//
// Whoever acquires a connection releases it exactly once. When an origin has all its connections in
// use the caller waits in line. An idle connection is dropped when the peer closes it, after
// kIdleLifetime, or when there are too many. All calls are on the io thread.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "escapement/engine/target_port.h"
#include "http_connection.h"

namespace escapement::targets {

inline constexpr std::size_t kMaxConnectionsPerOrigin = 64;
inline constexpr std::size_t kMaxIdlePerOrigin = 16;
inline constexpr std::size_t kMaxIdleConnections = 256;
inline constexpr std::size_t kMaxWaitingPerOrigin = 10'000;
inline constexpr Duration kIdleLifetime = std::chrono::seconds{60};

class HttpPool {
 public:
  using Connection = std::shared_ptr<HttpConnection>;
  using Ready = std::function<void(Connection)>;

  explicit HttpPool(const ConnectionContext& context) : context_(context) {}

  // Calls `ready`, now or later, with an open connection to reuse or a new one to open. False when
  // too many wait.
  bool acquire(engine::AttemptKey key, const Url& url, Ready ready);
  // Leaves the line; nothing when the connection was handed out already.
  void cancel(engine::AttemptKey key, const Url& url);
  // Gives the connection back; closes it unless it can carry another request.
  void release(const Connection& connection, bool can_reuse);
  // Drops what is idle of an origin: one stale connection rarely is alone.
  void drop_idle(const Url& url);
  void drop_all_idle();

 private:
  struct Waiter {
    engine::AttemptKey key;
    Ready ready;
  };
  struct Origin {
    std::size_t connections = 0;  // in use and idle
    std::vector<Connection> idle;
    std::deque<Waiter> waiting;
  };

  void keep(Origin& origin, const Connection& connection);
  void on_idle_end(const Connection& connection);
  void close_one(const std::string& name, const Connection& connection);
  void serve_next(const std::string& name, const Url& url);

  const ConnectionContext& context_;
  std::map<std::string, Origin> origins_;
  std::size_t idle_count_ = 0;
};

}  // namespace escapement::targets
