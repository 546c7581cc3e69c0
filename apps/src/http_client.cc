#include "http_client.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <cctype>

namespace escapement::apps {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

// Connect, write, read: each step under the same time limit.
class Exchange {
 public:
  explicit Exchange(const HttpCall& call) : stream_(io_) {
    parser_.body_limit(kMaxAnswerBytes);
    request_.method_string(call.method);
    request_.target(call.target);
    request_.version(11);
    request_.keep_alive(false);
    request_.set(http::field::accept, "application/json");
    if (!call.token.empty()) request_.set(http::field::authorization, "Bearer " + call.token);
    // POST, PUT and DELETE must name the content type even where they have nothing to say.
    if (call.method != "GET") request_.set(http::field::content_type, "application/json");
    request_.body() = call.body;
  }

  Result<HttpAnswer> run(const ServerAddress& address) {
    request_.set(http::field::host, host_header(address));
    error_code failed;
    asio::ip::tcp::resolver resolver(io_);
    auto endpoints = resolver.resolve(address.host, address.port, failed);
    if (!failed) failed = exchange(endpoints);
    if (failed) {
      return Error{ErrorCode::unavailable, "cannot reach the server at http://" +
                                               host_header(address) + ": " + failed.message()};
    }
    return HttpAnswer{static_cast<int>(parser_.get().result_int()),
                      std::move(parser_.get().body())};
  }

 private:
  static std::string host_header(const ServerAddress& address) {
    bool v6 = address.host.find(':') != std::string::npos;
    return (v6 ? '[' + address.host + ']' : address.host) + ':' + address.port;
  }

  error_code exchange(const asio::ip::tcp::resolver::results_type& endpoints) {
    error_code failed = step([&](auto done) {
      stream_.async_connect(endpoints, [done](error_code code, const auto&) { done(code); });
    });
    if (failed) return failed;
    request_.prepare_payload();
    failed = step([&](auto done) {
      http::async_write(stream_, request_, [done](error_code code, std::size_t) { done(code); });
    });
    // A server that refuses early may close before it read everything; its answer still counts.
    error_code read = step([&](auto done) {
      http::async_read(stream_, buffer_, parser_,
                       [done](error_code code, std::size_t) { done(code); });
    });
    return failed && read ? failed : read;
  }

  template <typename Start>
  error_code step(Start start) {
    error_code result;
    stream_.expires_after(kClientTimeout);
    start([&result](error_code code) { result = code; });
    io_.restart();
    io_.run();
    return result;
  }

  asio::io_context io_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response_parser<http::string_body> parser_;
};

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return false;
  int value = 0;
  for (char c : text) {
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
    value = value * 10 + (c - '0');
  }
  return value > 0 && value < 65536;
}

}  // namespace

Result<ServerAddress> parse_server_url(std::string_view url) {
  std::string_view rest = url;
  auto bad = [&](std::string_view why) {
    return invalid(
        "server", "'" + std::string(url) + "' " + std::string(why) + ", expected http://HOST:PORT");
  };
  if (rest.starts_with("https://")) return bad("is https, which this client does not speak");
  if (rest.starts_with("http://")) rest.remove_prefix(7);
  while (rest.ends_with('/')) rest.remove_suffix(1);
  if (rest.find_first_of("/?#@ ") != std::string_view::npos) return bad("is no server address");
  ServerAddress address{.host = {}, .port = "80"};
  std::size_t bracket = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  std::size_t colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  address.host =
      bracket == std::string_view::npos ? rest.substr(0, colon) : rest.substr(1, bracket - 1);
  if (colon != std::string_view::npos) address.port = rest.substr(colon + 1);
  if (address.host.empty()) return bad("names no host");
  if (!is_port(address.port)) return bad("has no port between 1 and 65535");
  return address;
}

Result<HttpAnswer> http_call(const ServerAddress& address, const HttpCall& call) {
  return Exchange(call).run(address);
}

std::string url_encoded(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    bool mark = std::string_view("-._~").find(c) != std::string_view::npos;
    if (mark || (byte < 0x80 && std::isalnum(byte))) {
      result += c;
    } else {
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

}  // namespace escapement::apps
