#include "http_connection.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <vector>

#include "escapement/targets/address_guard.h"
#include "http_connection_context.h"

namespace escapement::targets {
namespace {

using asio::ip::tcp;

IpAddress guard_form(const asio::ip::address& address) {
  IpAddress out{.is_v6 = address.is_v6()};
  if (address.is_v6()) {
    std::ranges::copy(address.to_v6().to_bytes(), out.bytes.begin());
  } else {
    std::ranges::copy(address.to_v4().to_bytes(), out.bytes.begin());
  }
  return out;
}

class AsioConnection : public HttpConnection, public std::enable_shared_from_this<AsioConnection> {
 public:
  AsioConnection(const ConnectionContext& context, Url url);

  void open(Duration limit, Opened opened) override;
  void write(std::string_view bytes, Written written) override;
  void read(Read read) override;
  void stay_idle(Duration lifetime, std::function<void()> ended) override;
  void leave_idle() override;
  void close() override;
  const Url& url() const override { return url_; }
  bool is_open() const override { return is_open_; }

 private:
  using Endpoints = std::vector<tcp::endpoint>;
  using Code = boost::system::error_code;

  void resolve();
  void connect(const Endpoints& endpoints);
  void shake_hands();
  void finish_open(Status status);
  Status check(const Endpoints& endpoints) const;
  Error error_of(const char* what, const Code& code) const;

  const ConnectionContext& context_;
  const Url url_;
  tcp::resolver resolver_;
  tcp::socket socket_;
  std::unique_ptr<asio::ssl::stream<tcp::socket&>> tls_;
  asio::steady_timer timer_;  // of the connect limit, then of the idle lifetime
  Opened opened_;
  bool is_open_ = false;
  std::function<void()> idle_ended_;
  std::array<char, 16 * 1024> buffer_;
};

AsioConnection::AsioConnection(const ConnectionContext& context, Url url)
    : context_(context),
      url_(std::move(url)),
      resolver_(context.io),
      socket_(context.io),
      timer_(context.io) {}

void AsioConnection::open(Duration limit, Opened opened) {
  opened_ = std::move(opened);
  timer_.expires_after(limit);
  timer_.async_wait([self = shared_from_this()](const Code& code) {
    if (code || !self->opened_) return;
    self->finish_open(self->error_of("connect", asio::error::timed_out));
  });
  resolve();
}

void AsioConnection::resolve() {
  Code code;
  const asio::ip::address literal = asio::ip::make_address(url_.host, code);
  if (!code) return connect({tcp::endpoint(literal, url_.port)});
  resolver_.async_resolve(
      url_.host, std::to_string(url_.port), tcp::resolver::numeric_service,
      [self = shared_from_this()](const Code& failure, const tcp::resolver::results_type& all) {
        if (!self->opened_) return;
        if (failure) return self->finish_open(self->error_of("resolve", failure));
        Endpoints endpoints;
        for (const auto& entry : all) endpoints.push_back(entry.endpoint());
        self->connect(endpoints);
      });
}

Status AsioConnection::check(const Endpoints& endpoints) const {
  for (const tcp::endpoint& endpoint : endpoints) {
    Status status = check_address(guard_form(endpoint.address()), context_.allow_private_addresses);
    if (!status.ok()) {
      return Error{ErrorCode::denied, "host \"" + url_.host + "\": " + status.error().message};
    }
  }
  return {};
}

void AsioConnection::connect(const Endpoints& endpoints) {
  if (Status status = check(endpoints); !status.ok()) return finish_open(std::move(status));
  asio::async_connect(socket_, endpoints,
                      [self = shared_from_this()](const Code& code, const tcp::endpoint&) {
                        if (!self->opened_) return;
                        if (code) return self->finish_open(self->error_of("connect", code));
                        Code ignored;
                        self->socket_.set_option(tcp::no_delay(true), ignored);
                        if (!self->url_.tls) return self->finish_open({});
                        self->shake_hands();
                      });
}

void AsioConnection::shake_hands() {
  tls_ = std::make_unique<asio::ssl::stream<tcp::socket&>>(socket_, context_.tls);
  Code code;
  tls_->set_verify_mode(asio::ssl::verify_peer, code);
  tls_->set_verify_callback(asio::ssl::host_name_verification(url_.host), code);
  const bool is_name = !parse_address(url_.host);
  if (is_name) {  // the macro SSL_set_tlsext_host_name without its old-style cast
    SSL_ctrl(tls_->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
             const_cast<char*>(url_.host.c_str()));
  }
  tls_->async_handshake(asio::ssl::stream_base::client,
                        [self = shared_from_this()](const Code& failure) {
                          if (!self->opened_) return;
                          if (failure) return self->finish_open(self->error_of("TLS", failure));
                          self->finish_open({});
                        });
}

void AsioConnection::finish_open(Status status) {
  timer_.cancel();
  is_open_ = status.ok();
  if (!is_open_) close();
  std::exchange(opened_, nullptr)(std::move(status));
}

Error AsioConnection::error_of(const char* what, const Code& code) const {
  return Error{ErrorCode::unavailable,
               std::string(what) + " " + origin_of(url_) + ": " + code.message()};
}

void AsioConnection::write(std::string_view bytes, Written written) {
  auto done = [self = shared_from_this(), written = std::move(written)](
                  const Code& code, std::size_t) { written(!code); };
  const asio::const_buffer buffer(bytes.data(), bytes.size());
  if (tls_) return asio::async_write(*tls_, buffer, std::move(done));
  asio::async_write(socket_, buffer, std::move(done));
}

void AsioConnection::read(Read read) {
  auto done = [self = shared_from_this(), read = std::move(read)](const Code& code,
                                                                  std::size_t size) {
    const ReadEnd end = code == asio::error::eof ? ReadEnd::closed
                        : code                   ? ReadEnd::broken
                                                 : ReadEnd::none;
    read({self->buffer_.data(), size}, end);
  };
  if (tls_) return tls_->async_read_some(asio::buffer(buffer_), std::move(done));
  socket_.async_read_some(asio::buffer(buffer_), std::move(done));
}

void AsioConnection::stay_idle(Duration lifetime, std::function<void()> ended) {
  idle_ended_ = std::move(ended);
  auto end = [self = shared_from_this()](const Code& code) {
    if (code == asio::error::operation_aborted || !self->idle_ended_) return;
    std::exchange(self->idle_ended_, nullptr)();
  };
  timer_.expires_after(lifetime);
  timer_.async_wait(end);
  socket_.async_wait(tcp::socket::wait_read, end);
}

void AsioConnection::leave_idle() {
  idle_ended_ = nullptr;
  timer_.cancel();
  Code ignored;
  socket_.cancel(ignored);
}

void AsioConnection::close() {
  is_open_ = false;
  idle_ended_ = nullptr;
  resolver_.cancel();
  timer_.cancel();
  Code ignored;
  socket_.close(ignored);
}

}  // namespace

std::shared_ptr<HttpConnection> make_connection(const ConnectionContext& context, Url url) {
  return std::make_shared<AsioConnection>(context, std::move(url));
}

}  // namespace escapement::targets
