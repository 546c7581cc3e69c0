#include "listen_address.h"

#include <charconv>
#include <optional>

#include "escapement/targets/address_guard.h"

namespace escapement::apps {
namespace {

constexpr std::string_view kLocalhost = "localhost";

std::optional<targets::IpAddress> ip_of(std::string_view host) {
  return targets::parse_address(host);
}

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const char* end = text.data() + text.size();
  auto [rest, failed] = std::from_chars(text.data(), end, port);
  if (text.empty() || failed != std::errc() || rest != end) return std::nullopt;
  return port;
}

Error malformed(std::string_view text, std::string_view why) {
  return invalid("listen", "'" + std::string(text) + "' " + std::string(why) +
                               ", expected ADDRESS:PORT such as 127.0.0.1:7070 or [::1]:7070");
}

}  // namespace

Result<ListenAddress> parse_listen(std::string_view text) {
  std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return malformed(text, "has no port");
  std::optional<std::uint16_t> port = parse_port(text.substr(colon + 1));
  if (!port) return malformed(text, "has no port between 0 and 65535");
  std::string_view host = text.substr(0, colon);
  bool bracketed = host.starts_with('[') && host.ends_with(']') && host.size() > 2;
  if (bracketed) host = host.substr(1, host.size() - 2);
  std::optional<targets::IpAddress> ip = ip_of(host);
  if (host != kLocalhost && !ip) return malformed(text, "has no IP address");
  if (ip && ip->is_v6 != bracketed) return malformed(text, "has brackets in the wrong place");
  return ListenAddress{std::string(host), *port};
}

bool is_loopback(const ListenAddress& address) {
  if (address.host == kLocalhost) return true;
  std::optional<targets::IpAddress> ip = ip_of(address.host);
  return ip && targets::classify(*ip) == targets::AddressKind::loopback;
}

std::string url_of(const ListenAddress& address) {
  std::optional<targets::IpAddress> ip = ip_of(address.host);
  bool v6 = ip && ip->is_v6;
  std::string host = v6 ? '[' + address.host + ']' : address.host;
  if (ip && targets::classify(*ip) == targets::AddressKind::unspecified) {
    host = v6 ? "[::1]" : "127.0.0.1";
  }
  return "http://" + host + ':' + std::to_string(address.port);
}

}  // namespace escapement::apps
