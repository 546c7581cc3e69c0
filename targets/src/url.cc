#include "escapement/targets/url.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

#include "escapement/domain/limits.h"

namespace escapement::targets {
namespace {

constexpr std::size_t kMaxHostBytes = 253;  // RFC 1035
constexpr std::size_t kMaxLabelBytes = 63;
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), to_lower);
  return out;
}

Error refuse(std::string message) { return invalid("url", std::move(message)); }

bool is_url_character(char c) {
  return c > 0x20 && c < 0x7f && std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

Status check_characters(std::string_view text) {
  if (text.empty() || text.size() > domain::kMaxUrlBytes) {
    return refuse("must have 1 to " + std::to_string(domain::kMaxUrlBytes) + " bytes");
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_url_character(text[i])) {
      return refuse("byte " + std::to_string(i) +
                    " is a space, a control code, not ASCII or one of \"<>\\^`{|}; use %XX");
    }
    if (text[i] == '%' && (i + 2 >= text.size() || !is_hex(text[i + 1]) || !is_hex(text[i + 2]))) {
      return refuse("'%' at byte " + std::to_string(i) + " is not followed by two hex digits");
    }
  }
  return {};
}

Result<std::uint16_t> parse_port(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size() || port < 1 || port > 65535) {
    return refuse("port \"" + std::string(text) + "\" must be 1 to 65535");
  }
  return static_cast<std::uint16_t>(port);
}

bool is_label(std::string_view label) {
  if (label.empty() || label.size() > kMaxLabelBytes) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::ranges::all_of(
      label, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

// Resolvers take a name whose last label is a number for an address in one of inet_aton's forms.
bool looks_like_ipv4(std::string_view host) {
  std::string_view last = host.substr(host.rfind('.') + 1);
  if (std::ranges::all_of(last, is_digit)) return true;
  return last.size() >= 2 && last[0] == '0' && to_lower(last[1]) == 'x' &&
         std::ranges::all_of(last.substr(2), is_hex);
}

Status check_name(std::string_view host) {
  if (host.empty() || host.size() > kMaxHostBytes) {
    return refuse("host must have 1 to " + std::to_string(kMaxHostBytes) + " bytes");
  }
  for (std::size_t begin = 0; begin <= host.size();) {
    const std::size_t end = std::min(host.find('.', begin), host.size());
    if (!is_label(host.substr(begin, end - begin))) {
      return refuse("host \"" + std::string(host) + "\" is no DNS name");
    }
    begin = end + 1;
  }
  in_addr address{};
  if (looks_like_ipv4(host) && inet_pton(AF_INET, std::string(host).c_str(), &address) != 1) {
    return refuse("host \"" + std::string(host) + "\" must be a.b.c.d to be an address");
  }
  return {};
}

// Reads "[v6]" or a name from the front of `authority`, leaves ":port" or nothing.
Status take_host(std::string_view& authority, Url& url) {
  if (!authority.starts_with('[')) {
    const std::string_view host = authority.substr(0, authority.find(':'));
    if (Status status = check_name(host); !status.ok()) return status;
    url.host = lower(host);
    authority.remove_prefix(host.size());
    return {};
  }
  const std::size_t end = authority.find(']');
  const std::string literal = lower(authority.substr(1, std::min(end, authority.size()) - 1));
  in6_addr address{};
  if (end == std::string_view::npos || inet_pton(AF_INET6, literal.c_str(), &address) != 1) {
    return refuse("\"" + std::string(authority) + "\" holds no IPv6 literal such as [::1]");
  }
  url.host = literal;
  url.is_ipv6_literal = true;
  authority.remove_prefix(end + 1);
  return {};
}

Status take_port(std::string_view authority, Url& url) {
  if (authority.empty()) return {};
  if (!authority.starts_with(':')) return refuse("the host is followed by something else");
  Result<std::uint16_t> port = parse_port(authority.substr(1));
  if (!port.ok()) return port.error();
  url.port = *port;
  return {};
}

// Sets scheme and its port; leaves what follows "://".
Status take_scheme(std::string_view& text, Url& url) {
  const std::size_t colon = text.find(':');
  const std::string scheme = lower(text.substr(0, std::min(colon, text.size())));
  const bool has_slashes = colon != std::string_view::npos && text.substr(colon).starts_with("://");
  if (!has_slashes || (scheme != "http" && scheme != "https")) {
    return refuse("must begin with http:// or https://");
  }
  url.tls = scheme == "https";
  url.port = url.tls ? kHttpsPort : kHttpPort;
  text.remove_prefix(colon + 3);
  return {};
}

}  // namespace

Result<Url> parse_url(std::string_view text) {
  if (Status status = check_characters(text); !status.ok()) return status.error();
  Url url;
  if (Status status = take_scheme(text, url); !status.ok()) return status.error();
  if (text.find('#') != std::string_view::npos) return refuse("must not have a fragment (#)");
  std::string_view authority = text.substr(0, text.find_first_of("/?"));
  text.remove_prefix(authority.size());
  if (authority.find('@') != std::string_view::npos) {
    return refuse("must not hold user or password; use an Authorization header");
  }
  if (Status status = take_host(authority, url); !status.ok()) return status.error();
  if (Status status = take_port(authority, url); !status.ok()) return status.error();
  url.target = text.starts_with('/') ? std::string(text) : "/" + std::string(text);
  return url;
}

Status check_url(std::string_view text) {
  Result<Url> url = parse_url(text);
  return url.ok() ? Status() : Status(url.error());
}

std::string host_header(const Url& url) {
  std::string host = url.is_ipv6_literal ? "[" + url.host + "]" : url.host;
  if (url.port != (url.tls ? kHttpsPort : kHttpPort)) host += ":" + std::to_string(url.port);
  return host;
}

std::string origin_of(const Url& url) {
  const std::string host = url.is_ipv6_literal ? "[" + url.host + "]" : url.host;
  return (url.tls ? "https://" : "http://") + host + ":" + std::to_string(url.port);
}

}  // namespace escapement::targets
