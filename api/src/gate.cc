#include "gate.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

namespace escapement::api {
namespace {

constexpr std::string_view kBearer = "Bearer ";

bool is_port(std::string_view text) {
  return text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// "name:port" without the port, if there is one; brackets of IPv6 stay.
std::string_view without_port(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  const std::size_t bracket = host.rfind(']');
  if (colon == std::string_view::npos) return host;
  if (bracket != std::string_view::npos && colon < bracket) return host;
  return is_port(host.substr(colon + 1)) ? host.substr(0, colon) : host;
}

bool is_address(std::string_view host) {
  in6_addr address;
  if (host.starts_with('[') && host.ends_with(']')) {
    return inet_pton(AF_INET6, std::string(host.substr(1, host.size() - 2)).c_str(), &address) == 1;
  }
  return inet_pton(AF_INET, std::string(host).c_str(), &address) == 1;
}

std::string bracketed(const std::string& host) {
  const bool v6 = host.find(':') != std::string::npos && !host.starts_with('[');
  return v6 ? "[" + host + "]" : host;
}

Response denied(std::string message) {
  return error_response(Error{ErrorCode::denied, std::move(message), ""});
}

}  // namespace

Gate::Gate(const ServerOptions& options)
    : token_digest_(digest(options.token)),
      any_address_(options.host == "0.0.0.0" || options.host == "::"),
      hosts_{"localhost", "127.0.0.1", "[::1]", bracketed(options.host)} {
  hosts_.insert(hosts_.end(), options.extra_hosts.begin(), options.extra_hosts.end());
}

Gate::Digest Gate::digest(std::string_view text) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return digest;
}

bool Gate::is_our_host(std::string_view host) const {
  const std::string_view name = without_port(host);
  // An address cannot be rebound: whoever names it means the machine that has it.
  if (any_address_ && is_address(name)) return true;
  return std::any_of(hosts_.begin(), hosts_.end(), [&](const std::string& known) {
    return equal_in_any_case(known, name) || equal_in_any_case(known, host);
  });
}

std::optional<Response> Gate::refuse_host(const Request& request) const {
  const auto hosts = request.values("Host");
  if (hosts.size() != 1) {
    return error_response(invalid("", "the request must have exactly one Host header"));
  }
  if (!is_our_host(hosts[0])) return denied("this Host is not served here");
  for (const std::string_view origin : request.values("Origin")) {
    const std::string ours = "http://" + std::string(hosts[0]);
    const std::string ours_behind_tls = "https://" + std::string(hosts[0]);
    if (equal_in_any_case(origin, ours) || equal_in_any_case(origin, ours_behind_tls)) continue;
    return denied("this Origin may not speak to this server");
  }
  return std::nullopt;
}

bool Gate::has_token(const Request& request) const {
  const auto values = request.values("Authorization");
  if (values.size() != 1) return false;
  const std::string_view value = values[0];
  if (!equal_in_any_case(value.substr(0, kBearer.size()), kBearer)) return false;
  const Digest presented = digest(value.substr(kBearer.size()));
  return CRYPTO_memcmp(presented.data(), token_digest_.data(), presented.size()) == 0;
}

std::optional<Response> Gate::refuse(const Request& request, bool open) const {
  if (std::optional<Response> refused = refuse_host(request)) return refused;
  if (open || has_token(request)) return std::nullopt;
  return unauthorized();
}

}  // namespace escapement::api
