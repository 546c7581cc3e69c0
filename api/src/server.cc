#include "escapement/api/server.h"

#include <fcntl.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <mutex>
#include <system_error>
#include <thread>
#include <unordered_map>

#include "connection.h"
#include "reply_post.h"

namespace escapement::api {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using Code = boost::system::error_code;

// Between tries to accept when the process is out of descriptors.
constexpr Duration kAcceptPause = std::chrono::milliseconds{100};

// Programs that exec targets start must not inherit sockets.
void close_on_exec(int descriptor) { ::fcntl(descriptor, F_SETFD, FD_CLOEXEC); }

Result<tcp::endpoint> endpoint_of(const ServerOptions& options) {
  Code code;
  const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
  const auto address = asio::ip::make_address(host, code);
  if (!code) return tcp::endpoint(address, options.port);
  return invalid("host", "\"" + options.host + "\" is no IP address to listen on");
}

Error listen_error(const Code& code, const tcp::endpoint& endpoint) {
  const std::string where =
      endpoint.address().to_string() + ", port " + std::to_string(endpoint.port());
  if (code == asio::error::address_in_use) {
    return {ErrorCode::conflict, "somebody else listens on " + where + " already", "port"};
  }
  if (code == asio::error::access_denied) {
    return {ErrorCode::denied, "this user may not listen on " + where, "port"};
  }
  return {ErrorCode::unavailable, "cannot listen on " + where + ": " + code.message(), "host"};
}

}  // namespace

class Server::Impl final : public ConnectionOwner {
 public:
  Impl(ServerOptions options, engine::CommandPort& engine)
      : router_(std::move(options)),
        engine_(engine),
        post_(std::make_shared<ReplyPost>(context_)) {}
  ~Impl() override { stop(); }

  Status start();
  std::uint16_t port() const { return port_; }
  void stop();

  const Router& router() const override { return router_; }
  void submit(Connection& connection, std::uint64_t number, engine::CommandBody command) override;
  void closed(Connection& connection) override;

 private:
  Code listen(const tcp::endpoint& endpoint);
  void accept();
  void on_accept(Code code, tcp::socket socket);
  void add(tcp::socket socket);
  void turn_away(tcp::socket socket);
  void begin_stop();
  void close_all();

  Router router_;
  engine::CommandPort& engine_;
  asio::io_context context_{1};
  std::shared_ptr<ReplyPost> post_;
  tcp::acceptor acceptor_{context_};
  asio::steady_timer accept_timer_{context_};
  asio::steady_timer stop_timer_{context_};
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::uint16_t port_ = 0;
  bool stopping_ = false;
  std::once_flag stopped_;  // guards the end of thread_
  std::thread thread_;
};

Code Server::Impl::listen(const tcp::endpoint& endpoint) {
  Code code;
  acceptor_.open(endpoint.protocol(), code);
  if (!code) acceptor_.set_option(tcp::acceptor::reuse_address(true), code);
  if (!code) acceptor_.bind(endpoint, code);
  if (!code) acceptor_.listen(asio::socket_base::max_listen_connections, code);
  if (!code) port_ = acceptor_.local_endpoint(code).port();
  if (!code) close_on_exec(acceptor_.native_handle());
  return code;
}

Status Server::Impl::start() {
  if (router_.options().token.empty()) return invalid("token", "must not be empty");
  const Result<tcp::endpoint> endpoint = endpoint_of(router_.options());
  if (!endpoint.ok()) return endpoint.error();
  if (const Code code = listen(*endpoint)) return listen_error(code, *endpoint);
  accept();
  try {
    thread_ = std::thread([this] { context_.run(); });
  } catch (const std::system_error& error) {
    return Error{ErrorCode::unavailable, std::string("cannot start a thread: ") + error.what(), ""};
  }
  return {};
}

void Server::Impl::accept() {
  acceptor_.async_accept(
      [this](Code code, tcp::socket socket) { on_accept(code, std::move(socket)); });
}

void Server::Impl::on_accept(Code code, tcp::socket socket) {
  if (stopping_) return;
  if (!code) {
    add(std::move(socket));
    return accept();
  }
  accept_timer_.expires_after(kAcceptPause);
  accept_timer_.async_wait([this](Code cancelled) {
    if (!cancelled && !stopping_) accept();
  });
}

void Server::Impl::add(tcp::socket socket) {
  close_on_exec(socket.native_handle());
  Code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  if (connections_.size() >= router_.options().limits.connections) {
    return turn_away(std::move(socket));
  }
  auto connection = std::make_shared<Connection>(std::move(socket), *this);
  connections_.emplace(connection.get(), connection);
  connection->start();
}

// A fresh socket takes a short response at once; no need to wait for it.
void Server::Impl::turn_away(tcp::socket socket) {
  static const std::string response = wire_text(
      error_response(Error{ErrorCode::unavailable, "too many connections; try again", ""}),
      {.keep_alive = false});
  Code ignored;
  socket.non_blocking(true, ignored);
  socket.write_some(asio::buffer(response), ignored);
  socket.shutdown(tcp::socket::shutdown_send, ignored);
}

void Server::Impl::submit(Connection& connection, std::uint64_t number,
                          engine::CommandBody command) {
  engine_.submit(std::move(command),
                 [post = post_, weak = connection.weak_from_this(), number](engine::Reply reply) {
                   post->post([weak, number, reply = std::move(reply)] {
                     if (const auto target = weak.lock()) target->on_reply(number, reply);
                   });
                 });
}

void Server::Impl::closed(Connection& connection) {
  connections_.erase(&connection);
  if (stopping_ && connections_.empty()) stop_timer_.cancel();
}

void Server::Impl::begin_stop() {
  stopping_ = true;
  Code ignored;
  acceptor_.close(ignored);
  accept_timer_.cancel();
  const auto connections = connections_;
  for (const auto& [key, connection] : connections) connection->finish();
  if (connections_.empty()) return;
  stop_timer_.expires_after(router_.options().limits.stop_timeout);
  stop_timer_.async_wait([this](Code) { close_all(); });
}

void Server::Impl::close_all() {
  const auto connections = connections_;
  for (const auto& [key, connection] : connections) connection->close();
}

void Server::Impl::stop() {
  std::call_once(stopped_, [this] {
    if (thread_.joinable()) {
      asio::post(context_, [this] { begin_stop(); });
      thread_.join();
    }
    post_->close();
  });
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::start(ServerOptions options, engine::CommandPort& engine) {
  auto impl = std::make_unique<Impl>(std::move(options), engine);
  const Status started = impl->start();
  if (!started.ok()) return started.error();
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::uint16_t Server::port() const { return impl_->port(); }
void Server::stop() { impl_->stop(); }

}  // namespace escapement::api
