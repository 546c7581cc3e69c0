#include "escapement/targets/address_guard.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <span>

namespace escapement::targets {
namespace {

// A block of addresses: the first `bits` bits of `text` count.
struct Block {
  const char* text;
  int bits;
  AddressKind kind;
};

// The first match decides, so single addresses stand before the blocks they lie in.
constexpr Block kBlocks4[] = {
    {"169.254.169.254", 32, AddressKind::metadata},  // AWS, GCP, Azure and most others
    {"169.254.170.2", 32, AddressKind::metadata},    // AWS ECS credentials
    {"100.100.100.200", 32, AddressKind::metadata},  // Alibaba
    {"192.0.0.192", 32, AddressKind::metadata},      // Oracle
    {"168.63.129.16", 32, AddressKind::metadata},    // Azure wire server
    {"255.255.255.255", 32, AddressKind::broadcast},
    {"0.0.0.0", 8, AddressKind::unspecified},
    {"10.0.0.0", 8, AddressKind::private_network},
    {"100.64.0.0", 10, AddressKind::private_network},
    {"127.0.0.0", 8, AddressKind::loopback},
    {"169.254.0.0", 16, AddressKind::link_local},
    {"172.16.0.0", 12, AddressKind::private_network},
    {"192.0.0.0", 24, AddressKind::reserved},
    {"192.0.2.0", 24, AddressKind::reserved},
    {"192.168.0.0", 16, AddressKind::private_network},
    {"198.18.0.0", 15, AddressKind::private_network},
    {"198.51.100.0", 24, AddressKind::reserved},
    {"203.0.113.0", 24, AddressKind::reserved},
    {"224.0.0.0", 4, AddressKind::multicast},
    {"240.0.0.0", 4, AddressKind::reserved},
};

constexpr Block kBlocks6[] = {
    {"fd00:ec2::254", 128, AddressKind::metadata},  // AWS
    {"fd00:ec2::23", 128, AddressKind::metadata},   // AWS EKS
    {"fd20:ce::254", 128, AddressKind::metadata},   // GCP
    {"::", 128, AddressKind::unspecified},
    {"::1", 128, AddressKind::loopback},
    {"64:ff9b:1::", 48, AddressKind::reserved},  // NAT64 of local layout, RFC 8215
    {"100::", 64, AddressKind::reserved},        // discard only
    {"2001::", 32, AddressKind::reserved},       // Teredo hides an IPv4 address
    {"2001:db8::", 32, AddressKind::reserved},
    {"3fff::", 20, AddressKind::reserved},
    {"5f00::", 16, AddressKind::reserved},
    {"fc00::", 7, AddressKind::private_network},
    {"fe80::", 10, AddressKind::link_local},
    {"fec0::", 10, AddressKind::private_network},  // site-local of old
    {"ff00::", 8, AddressKind::multicast},
};

// Prefixes after which an IPv4 address stands, and the byte where it begins.
struct Wrapper {
  const char* text;
  int bits;
  std::size_t offset;
};
constexpr Wrapper kWrappers[] = {
    {"::ffff:0:0", 96, 12},    // mapped
    {"::ffff:0:0:0", 96, 12},  // translated, RFC 2765
    {"::", 96, 12},            // compatible, deprecated
    {"64:ff9b::", 96, 12},     // NAT64
    {"2002::", 16, 2},         // 6to4
};

bool has_prefix(const IpAddress& address, const char* text, int bits) {
  const IpAddress prefix = *parse_address(text);
  const auto whole = static_cast<std::size_t>(bits / 8);
  if (!std::equal(prefix.bytes.begin(), prefix.bytes.begin() + bits / 8, address.bytes.begin())) {
    return false;
  }
  if (bits % 8 == 0) return true;
  const int mask = 0xff << (8 - bits % 8);
  return ((prefix.bytes[whole] ^ address.bytes[whole]) & mask) == 0;
}

AddressKind find_kind(const IpAddress& address, std::span<const Block> blocks) {
  for (const Block& block : blocks) {
    if (has_prefix(address, block.text, block.bits)) return block.kind;
  }
  return AddressKind::global;
}

std::optional<IpAddress> unwrap(const IpAddress& address) {
  for (const Wrapper& wrapper : kWrappers) {
    if (!has_prefix(address, wrapper.text, wrapper.bits)) continue;
    IpAddress inner;
    std::copy_n(address.bytes.begin() + static_cast<std::ptrdiff_t>(wrapper.offset), 4,
                inner.bytes.begin());
    return inner;
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(AddressKind kind) {
  constexpr std::string_view kNames[] = {"global",     "loopback",  "private",
                                         "link-local", "metadata",  "unspecified",
                                         "multicast",  "broadcast", "reserved"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<IpAddress> parse_address(std::string_view text) {
  const std::string copy(text);
  if (copy.size() != std::strlen(copy.c_str())) return std::nullopt;
  IpAddress address;
  if (inet_pton(AF_INET, copy.c_str(), address.bytes.data()) == 1) return address;
  address.is_v6 = true;
  if (inet_pton(AF_INET6, copy.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

std::string format_address(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(address.is_v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

AddressKind classify(const IpAddress& address) {
  if (!address.is_v6) return find_kind(address, kBlocks4);
  const AddressKind kind = find_kind(address, kBlocks6);
  if (kind != AddressKind::global) return kind;
  const std::optional<IpAddress> inner = unwrap(address);
  return inner ? find_kind(*inner, kBlocks4) : AddressKind::global;
}

Status check_address(const IpAddress& address, bool allow_private_addresses) {
  const AddressKind kind = classify(address);
  if (kind == AddressKind::global) return {};
  const bool is_near = kind == AddressKind::loopback || kind == AddressKind::private_network;
  if (is_near && allow_private_addresses) return {};
  return Error{ErrorCode::denied, "address " + format_address(address) +
                                      " is refused: " + std::string(to_string(kind)) +
                                      (is_near ? " addresses are not allowed here" : "")};
}

}  // namespace escapement::targets
