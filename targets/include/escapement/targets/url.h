// The URLs an http target may have, read strictly.
//
// What two parsers read differently is how request forgery gets past a guard, so everything unusual
// is refused instead of repaired: only http and https, no user info, no fragment, printable ASCII
// without spaces, quotes, braces or backslashes, complete %XX escapes (kept as they are), a host
// that is a DNS name, a dotted quad or an [IPv6] literal without a zone. "127.1", "0x7f.1" and
// "2130706433", which resolvers would take for addresses, are refused. Pure functions; any thread.
//
//   Result<Url> url = parse_url("https://api.example.com/hooks?id=1");
//   url->host, url->port (443), url->target ("/hooks?id=1")
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "escapement/base/result.h"

namespace escapement::targets {

struct Url {
  bool tls = false;
  std::string host;  // lower case; an IPv6 literal without its brackets
  bool is_ipv6_literal = false;
  std::uint16_t port = 80;
  std::string target = "/";  // path and query as they go on the request line

  bool operator==(const Url&) const = default;
};

// `invalid` with the reason, field "url". Longer than kMaxUrlBytes is refused too.
Result<Url> parse_url(std::string_view text);

// Whether parse_url takes it: for whoever accepts targets and wants to refuse early.
Status check_url(std::string_view text);

// The Host header: brackets around IPv6, the port only where it is not the scheme's own.
std::string host_header(const Url& url);

// "https://api.example.com:443", the key under which connections are shared.
std::string origin_of(const Url& url);

}  // namespace escapement::targets
