// Connection: one client's socket, one request after the other.
//
//   idle -> head -> (body) -> engine -> response -> idle ...
//
// The head is judged before the body is read, so nobody without a token makes the server buffer
// anything. Pipelined requests wait in the socket. Every step has a deadline. Runs on the server's
// thread only; the owner of the connection keeps it alive while it waits for the engine.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "router.h"

namespace escapement::api {

class Connection;

// What a connection needs of its server.
class ConnectionOwner {
 public:
  virtual ~ConnectionOwner() = default;
  virtual const Router& router() const = 0;
  // The reply comes back through Connection::on_reply with the same number.
  virtual void submit(Connection& connection, std::uint64_t number,
                      engine::CommandBody command) = 0;
  virtual void closed(Connection& connection) = 0;
};

class Connection final : public std::enable_shared_from_this<Connection> {
 public:
  Connection(boost::asio::ip::tcp::socket socket, ConnectionOwner& owner);

  void start() { await_request(limits().request_timeout); }
  void on_reply(std::uint64_t number, const engine::Reply& reply);
  // Closes it now if it is idle, else after the response.
  void finish();
  void close();

 private:
  using Code = boost::beast::error_code;
  using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

  const ServerLimits& limits() const { return owner_.router().options().limits; }
  template <typename Step>
  auto then(Step step);

  void await_request(Duration timeout);
  void read_head();
  void on_head(Code code);
  void take_head();
  void on_expectation();
  void read_body();
  void on_body(Code code);
  void on_broken(Code code);
  void handle();
  void submit(Call call);
  void refuse(const Response& response);
  void send(const Response& response);
  void on_written();
  void linger();

  ConnectionOwner& owner_;
  boost::beast::tcp_stream stream_;
  boost::asio::steady_timer reply_timer_;
  boost::beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  Request request_;
  std::optional<Call> call_;  // the one the engine works on
  std::uint64_t number_ = 0;  // of that call
  std::string output_;
  std::size_t lingered_ = 0;
  bool idle_ = true;
  bool last_ = false;    // this response ends the connection
  bool unread_ = false;  // part of the request was left in the socket
  bool closed_ = false;
};

// The response as it goes over the wire; `head_only` leaves the body away.
struct WireOptions {
  bool keep_alive = true;
  bool head_only = false;
};
std::string wire_text(const Response& response, WireOptions options);

}  // namespace escapement::api
