// One http attempt: request, connection, response, and exactly one result.
//
// A connection that was kept alive may have been closed by the peer just now. When it fails before
// any byte of a response, the request goes out once more on a fresh connection: the receiver may
// then see it twice, which the Idempotency-Key is for. All calls are on the io thread.
#pragma once

#include <functional>
#include <memory>

#include "escapement/base/clock.h"
#include "escapement/engine/target_port.h"
#include "http_pool.h"
#include "http_request.h"
#include "http_response.h"

namespace escapement::targets {

inline constexpr Duration kConnectLimit = std::chrono::seconds{10};  // resolve, connect and TLS

class HttpExchange : public std::enable_shared_from_this<HttpExchange> {
 public:
  using Done = std::function<void(engine::AttemptResult)>;

  // `request` is build_request's of `dispatch`. Pool and clock outlive the exchange.
  HttpExchange(engine::Dispatch dispatch, HttpRequest request, HttpPool& pool, Clock& clock);

  void run(Done done);
  // The answer from outside; nothing when there was one already.
  void stop(engine::AttemptResult result);
  Duration timeout() const { return dispatch_.timeout; }

 private:
  void acquire();
  void on_connection(HttpPool::Connection connection);
  void send();
  void read();
  void on_bytes(std::string_view bytes);
  void on_end(HttpConnection::ReadEnd end);
  void respond();
  void fail(const Error& error);
  void finish(engine::AttemptResult result, bool can_reuse);

  const engine::Dispatch dispatch_;
  const HttpRequest request_;
  HttpPool& pool_;
  Clock& clock_;
  Done done_;  // empty once answered
  HttpPool::Connection connection_;
  ResponseReader reader_;
  bool is_reused_ = false;
  bool has_written_ = false;
  bool has_read_ = false;
};

}  // namespace escapement::targets
