// The guard against server-side request forgery: which addresses an http target may connect to.
//
// A scheduler that fetches URLs for its users must not become their way into the network it runs
// in. The client resolves a name once, asks this guard about every address of the answer and
// connects to an address that was checked, so a second DNS answer cannot slip in. Refused always:
// link-local, cloud metadata, unspecified, multicast, broadcast and reserved addresses. Refused
// unless allowed: loopback and private ones. IPv6 forms that carry an IPv4 address (mapped,
// compatible, translated, NAT64, 6to4) are judged by the address inside. Sources: the IANA
// special-purpose address registries (RFC 6890). Pure functions; any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "escapement/base/result.h"

namespace escapement::targets {

// IPv4 uses the first 4 bytes.
struct IpAddress {
  bool is_v6 = false;
  std::array<std::uint8_t, 16> bytes{};

  bool operator==(const IpAddress&) const = default;
};

enum class AddressKind {
  global,
  loopback,
  private_network,
  link_local,
  metadata,
  unspecified,
  multicast,
  broadcast,
  reserved,
};

std::string_view to_string(AddressKind kind);

// Dotted quad or IPv6 text without brackets or zone; nullopt for anything else.
std::optional<IpAddress> parse_address(std::string_view text);
std::string format_address(const IpAddress& address);

AddressKind classify(const IpAddress& address);

// `denied` with the address and its kind when it must not be connected to.
Status check_address(const IpAddress& address, bool allow_private_addresses);

}  // namespace escapement::targets
