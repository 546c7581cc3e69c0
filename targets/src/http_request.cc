#include "http_request.h"

#include <algorithm>
#include <array>

namespace escapement::targets {
namespace {

constexpr std::size_t kMaxMethodBytes = 32;

// What frames the message or says who sends it; lower case. Escapement-* is checked by prefix.
constexpr std::array<std::string_view, 13> kReservedHeaders = {"host",
                                                               "content-length",
                                                               "transfer-encoding",
                                                               "connection",
                                                               "keep-alive",
                                                               "te",
                                                               "trailer",
                                                               "upgrade",
                                                               "expect",
                                                               "proxy-connection",
                                                               "proxy-authorization",
                                                               "idempotency-key",
                                                               "http2-settings"};

bool is_token_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         (c != '\0' && std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_character);
}

bool is_value(std::string_view text) {
  return std::ranges::none_of(text, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\t') || byte == 0x7f;
  });
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Status check_method(std::string_view method) {
  const bool is_upper = std::ranges::all_of(method, [](char c) { return c >= 'A' && c <= 'Z'; });
  if (method.empty() || method.size() > kMaxMethodBytes || !is_upper) {
    return invalid("target.method", "must be a method in capitals such as POST");
  }
  if (method == "CONNECT" || method == "TRACE") {
    return invalid("target.method", std::string(method) + " is not sent to targets");
  }
  return {};
}

Status check_header(std::string_view name, std::string_view value) {
  const std::string field = "target.headers." + std::string(name.substr(0, 64));
  if (!is_token(name)) return invalid("target.headers", "a name is empty or no token (RFC 9110)");
  if (!is_value(value)) return invalid(field, "must not contain control codes or line ends");
  const std::string key = lower(name);
  if (key.starts_with("escapement-") ||
      std::ranges::find(kReservedHeaders, key) != kReservedHeaders.end()) {
    return invalid(field, "is set by the scheduler and cannot be given");
  }
  return {};
}

Status check_headers(const domain::HttpTarget& target) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : target.headers) {
    if (Status status = check_header(name, value); !status.ok()) return status;
    bytes += name.size() + value.size();
  }
  if (target.headers.size() > domain::kMaxHeaders || bytes > domain::kMaxHeaderBytes) {
    return invalid("target.headers", "must be at most " + std::to_string(domain::kMaxHeaders) +
                                         " with " + std::to_string(domain::kMaxHeaderBytes) +
                                         " bytes together");
  }
  return {};
}

std::string percent_encoded(std::string_view text) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f && c != '%') {
      out += c;
    } else {
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

bool has_header(const domain::HttpTarget& target, std::string_view name) {
  return std::ranges::any_of(target.headers,
                             [name](const auto& header) { return lower(header.first) == name; });
}

class RequestText {
 public:
  RequestText(std::string_view method, const Url& url) {
    text_.append(method).append(" ").append(url.target).append(" HTTP/1.1\r\n");
    add("Host", host_header(url));
  }
  void add(std::string_view name, std::string_view value) {
    text_.append(name).append(": ").append(value).append("\r\n");
  }
  std::string finish(std::string_view body) {
    add("Content-Length", std::to_string(body.size()));
    return std::move(text_.append("\r\n").append(body));
  }

 private:
  std::string text_;
};

void add_headers(RequestText& text, const engine::Dispatch& dispatch,
                 const domain::HttpTarget& target) {
  if (!has_header(target, "user-agent")) text.add("User-Agent", "escapement/" ESCAPEMENT_VERSION);
  if (!has_header(target, "accept")) text.add("Accept", "*/*");
  if (target.body_is_json && !has_header(target, "content-type")) {
    text.add("Content-Type", "application/json");
  }
  for (const auto& [name, value] : target.headers) text.add(name, value);
  text.add("Escapement-Job", percent_encoded(dispatch.name));
  text.add("Escapement-Run", percent_encoded(dispatch.run_id));
  text.add("Escapement-Due", format_instant(dispatch.due, true));
  text.add("Escapement-Attempt", std::to_string(dispatch.key.number));
  text.add("Escapement-Term", std::to_string(dispatch.term));
  text.add("Idempotency-Key", percent_encoded(dispatch.run_id));
}

}  // namespace

Result<HttpRequest> build_request(const engine::Dispatch& dispatch) {
  const auto& target = std::get<domain::HttpTarget>(*dispatch.target);
  Result<Url> url = parse_url(target.url);
  if (!url.ok()) return invalid("target.url", url.error().message);
  if (Status status = check_method(target.method); !status.ok()) return status.error();
  if (Status status = check_headers(target); !status.ok()) return status.error();
  RequestText text(target.method, *url);
  add_headers(text, dispatch, target);
  return HttpRequest{.url = *url,
                     .bytes = text.finish(dispatch.payload ? *dispatch.payload : target.body),
                     .is_head = target.method == "HEAD"};
}

}  // namespace escapement::targets
