// Gate: who may speak to this server at all.
//
// A browser can be led to this server by any web page, so the name it was asked for (Host) and the
// page that asks (Origin) must be ours; then comes the bearer token. Tokens are compared by their
// SHA-256 in constant time: how long it takes tells nothing about the token. Immutable; any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "escapement/api/server.h"
#include "message.h"

namespace escapement::api {

class Gate {
 public:
  explicit Gate(const ServerOptions& options);

  // nullopt when the request may pass. `open`: the route needs no token.
  std::optional<Response> refuse(const Request& request, bool open) const;

 private:
  using Digest = std::array<unsigned char, 32>;
  static Digest digest(std::string_view text);

  std::optional<Response> refuse_host(const Request& request) const;
  bool is_our_host(std::string_view host) const;
  bool has_token(const Request& request) const;

  Digest token_digest_;
  bool any_address_;                // listens on all addresses: any of them may be asked for
  std::vector<std::string> hosts_;  // without ports
};

}  // namespace escapement::api
