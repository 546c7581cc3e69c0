#include "connection.h"

#include <algorithm>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/status.hpp>

namespace escapement::api {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;

constexpr std::size_t kReadBytes = 4096;
constexpr std::size_t kBufferBytes = 128 * 1024;           // above what Beast reads at a time
constexpr std::size_t kMaxLingerBytes = 32 * 1024 * 1024;  // thrown away after a refusal
constexpr Duration kLingerTimeout = std::chrono::seconds{2};
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

std::string text_of(beast::string_view text) { return std::string(text.data(), text.size()); }

Request head_of(const http::request<http::string_body>& message) {
  Request request;
  request.method = text_of(message.method_string());
  request.target = text_of(message.target());
  for (const auto& field : message) {
    request.headers.emplace_back(text_of(field.name_string()), text_of(field.value()));
  }
  return request;
}

bool is_http_error(const beast::error_code& code) {
  return code.category() == http::make_error_code(http::error::bad_method).category();
}

bool is_quiet_end(const beast::error_code& code) {
  return code == http::error::end_of_stream || code == http::error::partial_message;
}

Response response_to_broken(const beast::error_code& code, const ServerLimits& limits) {
  if (code == http::error::header_limit || code == http::error::buffer_overflow) {
    return headers_too_large("request line and headers must have at most " +
                             std::to_string(limits.header_bytes) + " bytes");
  }
  return error_response(invalid("", "the request is malformed HTTP: " + code.message()));
}

}  // namespace

std::string wire_text(const Response& response, WireOptions options) {
  const auto status = http::int_to_status(static_cast<unsigned>(response.status));
  std::string text = "HTTP/1.1 " + std::to_string(response.status) + " " +
                     text_of(http::obsolete_reason(status)) + "\r\n";
  const auto add = [&](std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
  };
  add("Content-Type", response.content_type);
  add("Content-Length", std::to_string(response.body.size()));
  add("Cache-Control", "no-store");
  add("X-Content-Type-Options", "nosniff");
  for (const auto& [name, value] : response.headers) add(name, value);
  add("Connection", options.keep_alive ? "keep-alive" : "close");
  text += "\r\n";
  if (!options.head_only) text += response.body;
  return text;
}

Connection::Connection(asio::ip::tcp::socket socket, ConnectionOwner& owner)
    : owner_(owner),
      stream_(std::move(socket)),
      reply_timer_(stream_.get_executor()),
      buffer_(kBufferBytes) {}

// A handler that keeps the connection alive and calls `step(*this, code, bytes)`.
template <typename Step>
auto Connection::then(Step step) {
  return [self = shared_from_this(), step](Code code, std::size_t bytes) {
    if (!self->closed_) step(*self, code, bytes);
  };
}

void Connection::await_request(Duration timeout) {
  parser_.emplace();
  parser_->header_limit(static_cast<std::uint32_t>(limits().header_bytes));
  parser_->body_limit(boost::none);
  if (buffer_.size() > 0) return read_head();
  idle_ = true;
  stream_.expires_after(timeout);
  stream_.async_read_some(buffer_.prepare(kReadBytes),
                          then([](Connection& self, Code code, std::size_t bytes) {
                            if (code) return self.close();
                            self.buffer_.commit(bytes);
                            self.read_head();
                          }));
}

void Connection::read_head() {
  idle_ = false;
  stream_.expires_after(limits().request_timeout);
  http::async_read_header(stream_, buffer_, *parser_,
                          then([](Connection& self, Code code, std::size_t bytes) {
                            // The parser looks at its limit only while the end is not in sight.
                            const bool fits = bytes <= self.limits().header_bytes;
                            self.on_head(code || fits ? code : http::error::header_limit);
                          }));
}

void Connection::on_head(Code code) {
  if (code) return on_broken(code);
  request_ = head_of(parser_->get());
  if (!parser_->keep_alive()) last_ = true;
  take_head();
}

void Connection::take_head() {
  std::variant<Response, std::size_t> judged = owner_.router().judge(request_);
  if (auto* refused = std::get_if<Response>(&judged)) return refuse(*refused);
  const std::size_t limit = std::get<std::size_t>(judged);
  if (parser_->content_length().value_or(0) > limit) return refuse(too_large(limit));
  parser_->body_limit(limit);
  if (parser_->is_done()) return handle();
  on_expectation();
}

// A client that asks first (curl does, for large bodies) gets its answer before it sends.
void Connection::on_expectation() {
  const auto expected = request_.values("Expect");
  if (expected.empty() || !equal_in_any_case(expected[0], "100-continue")) return read_body();
  asio::async_write(stream_, asio::buffer(kContinue),
                    then([](Connection& self, Code code, std::size_t) {
                      if (code) return self.close();
                      self.read_body();
                    }));
}

void Connection::read_body() {
  stream_.expires_after(limits().request_timeout);
  http::async_read(stream_, buffer_, *parser_,
                   then([](Connection& self, Code code, std::size_t) { self.on_body(code); }));
}

void Connection::on_body(Code code) {
  if (code == http::error::body_limit) {
    const auto judged = owner_.router().judge(request_);
    return refuse(too_large(std::get<std::size_t>(judged)));
  }
  if (code) return on_broken(code);
  request_.body = std::move(parser_->get().body());
  handle();
}

void Connection::on_broken(Code code) {
  if (is_quiet_end(code) || !is_http_error(code)) return close();
  last_ = true;
  unread_ = true;
  send(response_to_broken(code, limits()));
}

void Connection::handle() {
  Outcome outcome = owner_.router().handle(request_);
  request_.body.clear();
  if (auto* response = std::get_if<Response>(&outcome)) return send(*response);
  submit(std::move(std::get<Call>(outcome)));
}

void Connection::submit(Call call) {
  engine::CommandBody command = std::move(call.command);
  call_ = std::move(call);
  stream_.expires_never();
  const std::uint64_t number = ++number_;
  reply_timer_.expires_after(limits().reply_timeout);
  reply_timer_.async_wait([self = shared_from_this(), number](Code code) {
    if (code) return;
    self->last_ = true;
    self->on_reply(
        number, {number,
                 Error{ErrorCode::unknown_outcome, "no answer in time; it may still be done", ""},
                 {}});
  });
  owner_.submit(*this, number, std::move(command));
}

void Connection::on_reply(std::uint64_t number, const engine::Reply& reply) {
  if (closed_ || !call_ || number != number_) return;
  reply_timer_.cancel();
  const Call call = std::move(*call_);
  call_.reset();
  send(owner_.router().respond(call, reply));
}

// Answers before the body was read; what is left of it would be taken for the next request.
void Connection::refuse(const Response& response) {
  if (!parser_->is_done()) last_ = unread_ = true;
  send(response);
}

void Connection::send(const Response& response) {
  output_ = wire_text(response, {.keep_alive = !last_, .head_only = request_.method == "HEAD"});
  stream_.expires_after(limits().request_timeout);
  asio::async_write(stream_, asio::buffer(output_),
                    then([](Connection& self, Code code, std::size_t) {
                      if (code) return self.close();
                      self.on_written();
                    }));
}

void Connection::on_written() {
  output_ = {};
  if (!last_) return await_request(limits().idle_timeout);
  if (!unread_) return close();
  Code ignored;
  stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  stream_.expires_after(std::min(kLingerTimeout, limits().request_timeout));
  linger();
}

// Closing a socket with unread bytes resets the connection, and the client would lose the response
// that tells it why: throw away what it still sends, within bounds.
void Connection::linger() {
  buffer_.clear();
  stream_.async_read_some(buffer_.prepare(kBufferBytes),
                          then([](Connection& self, Code code, std::size_t bytes) {
                            self.lingered_ += bytes;
                            if (code || self.lingered_ > kMaxLingerBytes) return self.close();
                            self.linger();
                          }));
}

void Connection::finish() {
  last_ = true;
  if (idle_) close();
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  reply_timer_.cancel();
  stream_.close();
  owner_.closed(*this);
}

}  // namespace escapement::api
