// One connection to an origin: resolve, check, connect, TLS, then bytes in both directions.
//
// Every address a name resolves to must pass the guard (address_guard.h), and the connection goes
// to one of exactly these addresses; a name with one refused address is refused as a whole. TLS
// verifies the chain and the host name. All calls and handlers are on the io thread. `close` ends
// whatever is under way with an error. Costs a socket, 16 KiB and for TLS some 40 KiB more. An
// interface so that Asio stays in one file.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "escapement/base/result.h"
#include "escapement/base/time.h"
#include "escapement/targets/url.h"

namespace escapement::targets {

struct ConnectionContext;

class HttpConnection {
 public:
  enum class ReadEnd { none, closed, broken };
  using Opened = std::function<void(Status)>;
  using Written = std::function<void(bool)>;
  using Read = std::function<void(std::string_view, ReadEnd)>;

  virtual ~HttpConnection() = default;

  // `denied` when an address is refused, `unavailable` for everything else, also after `limit`.
  virtual void open(Duration limit, Opened opened) = 0;
  // `bytes` must live until `written`, which says whether all of them went out.
  virtual void write(std::string_view bytes, Written written) = 0;
  // Answers at least one byte, or how the connection ended.
  virtual void read(Read read) = 0;
  // Calls `ended` once when the peer closes or speaks, or after `lifetime`; leave_idle prevents it.
  virtual void stay_idle(Duration lifetime, std::function<void()> ended) = 0;
  virtual void leave_idle() = 0;
  virtual void close() = 0;

  virtual const Url& url() const = 0;
  virtual bool is_open() const = 0;
};

// `context` must outlive the io loop's handlers.
std::shared_ptr<HttpConnection> make_connection(const ConnectionContext& context, Url url);

}  // namespace escapement::targets
