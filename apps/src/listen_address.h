// Where a server listens: "127.0.0.1:7070", "[::1]:7070", "localhost:0". Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "escapement/base/result.h"

namespace escapement::apps {

struct ListenAddress {
  std::string host;  // an IPv6 address without its brackets
  std::uint16_t port = 0;
};

// Error: `invalid`, field "listen".
Result<ListenAddress> parse_listen(std::string_view text);

// Only this machine can connect.
bool is_loopback(const ListenAddress& address);

// "http://127.0.0.1:7070"; an address that means "all" becomes loopback, so that it can be used.
std::string url_of(const ListenAddress& address);

}  // namespace escapement::apps
