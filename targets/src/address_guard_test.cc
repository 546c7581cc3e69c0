#include "escapement/targets/address_guard.h"

#include <gtest/gtest.h>

namespace escapement::targets {
namespace {

struct Case {
  const char* text;
  AddressKind kind;
};

using enum AddressKind;

void expect_kinds(std::initializer_list<Case> cases) {
  for (const Case& item : cases) {
    const auto address = parse_address(item.text);
    ASSERT_TRUE(address.has_value()) << item.text;
    EXPECT_EQ(to_string(classify(*address)), to_string(item.kind)) << item.text;
  }
}

TEST(AddressGuard, KnowsTheEdgesOfIpv4Blocks) {
  expect_kinds({
      {"0.0.0.0", unspecified},
      {"0.255.255.255", unspecified},
      {"1.0.0.0", global},
      {"9.255.255.255", global},
      {"10.0.0.0", private_network},
      {"10.255.255.255", private_network},
      {"11.0.0.0", global},
      {"100.63.255.255", global},
      {"100.64.0.0", private_network},
      {"100.127.255.255", private_network},
      {"100.128.0.0", global},
      {"100.100.100.199", private_network},
      {"100.100.100.200", metadata},
      {"126.255.255.255", global},
      {"127.0.0.0", loopback},
      {"127.0.0.1", loopback},
      {"127.255.255.255", loopback},
      {"128.0.0.0", global},
      {"169.253.255.255", global},
      {"169.254.0.0", link_local},
      {"169.254.169.253", link_local},
      {"169.254.169.254", metadata},
      {"169.254.170.2", metadata},
      {"169.254.255.255", link_local},
      {"169.255.0.0", global},
      {"168.63.129.16", metadata},
      {"172.15.255.255", global},
      {"172.16.0.0", private_network},
      {"172.31.255.255", private_network},
      {"172.32.0.0", global},
      {"192.0.0.192", metadata},
      {"192.0.0.1", reserved},
      {"192.0.2.1", reserved},
      {"192.167.255.255", global},
      {"192.168.0.0", private_network},
      {"192.168.255.255", private_network},
      {"192.169.0.0", global},
      {"198.17.255.255", global},
      {"198.18.0.0", private_network},
      {"198.19.255.255", private_network},
      {"198.20.0.0", global},
      {"223.255.255.255", global},
      {"224.0.0.1", multicast},
      {"239.255.255.255", multicast},
      {"240.0.0.0", reserved},
      {"255.255.255.254", reserved},
      {"255.255.255.255", broadcast},
      {"8.8.8.8", global},
  });
}

TEST(AddressGuard, KnowsTheEdgesOfIpv6Blocks) {
  expect_kinds({
      {"::", unspecified},
      {"::1", loopback},
      {"fbff:ffff::", global},
      {"fc00::", private_network},
      {"fdff:ffff::1", private_network},
      {"fe00::", global},
      {"fe7f:ffff::", global},
      {"fe80::", link_local},
      {"febf:ffff::1", link_local},
      {"fec0::", private_network},
      {"feff::1", private_network},
      {"ff00::", multicast},
      {"ff02::1", multicast},
      {"fd00:ec2::254", metadata},
      {"fd00:ec2::253", private_network},
      {"fd20:ce::254", metadata},
      {"2001:db8::1", reserved},
      {"2001::1", reserved},
      {"2001:1::1", global},
      {"64:ff9b:1::a00:1", reserved},
      {"100::1", reserved},
      {"2606:4700::1111", global},
      {"2a00:1450:4001::8a", global},
  });
}

TEST(AddressGuard, UnwrapsEveryFormThatCarriesIpv4) {
  const char* forms[] = {"::ffff:", "::", "::ffff:0:", "64:ff9b::"};
  for (const std::string form : forms) {
    expect_kinds({{(form + "127.0.0.1").c_str(), loopback}});
    expect_kinds({{(form + "10.0.0.1").c_str(), private_network}});
    expect_kinds({{(form + "169.254.169.254").c_str(), metadata}});
    expect_kinds({{(form + "169.254.0.1").c_str(), link_local}});
    expect_kinds({{(form + "255.255.255.255").c_str(), broadcast}});
    expect_kinds({{(form + "8.8.8.8").c_str(), global}});
  }
  expect_kinds({{"2002:7f00:1::", loopback},
                {"2002:a9fe:a9fe::1", metadata},
                {"2002:c0a8:1::", private_network},
                {"2002:808:808::", global},
                {"::ffff:0.0.0.0", unspecified},
                {"::2", unspecified}});
}

TEST(AddressGuard, RefusesSomeAlwaysAndSomeUnlessAllowed) {
  for (const char* text :
       {"169.254.169.254", "169.254.1.1", "fe80::1", "fd00:ec2::254", "100.100.100.200", "0.0.0.0",
        "::", "224.0.0.1", "ff02::1", "255.255.255.255", "::ffff:169.254.169.254", "240.0.0.1"}) {
    for (const bool allowed : {false, true}) {
      const Status status = check_address(*parse_address(text), allowed);
      ASSERT_FALSE(status.ok()) << text;
      EXPECT_EQ(status.error().code, ErrorCode::denied);
    }
  }
  for (const char* text : {"127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1",
                           "fc00::1", "::1", "::ffff:127.0.0.1", "64:ff9b::10.0.0.1"}) {
    EXPECT_FALSE(check_address(*parse_address(text), false).ok()) << text;
    EXPECT_TRUE(check_address(*parse_address(text), true).ok()) << text;
  }
  EXPECT_TRUE(check_address(*parse_address("1.1.1.1"), false).ok());
  EXPECT_EQ(check_address(*parse_address("::ffff:10.0.0.1"), false).error().message,
            "address ::ffff:10.0.0.1 is refused: private addresses are not allowed here");
}

TEST(AddressGuard, ParsesOnlyPlainAddresses) {
  for (const char* text : {"", "localhost", "127.1", "0177.0.0.1", "1.2.3.4 ", "[::1]",
                           "fe80::1%lo", "1.2.3.4/8", "0x7f.0.0.1"}) {
    EXPECT_FALSE(parse_address(text).has_value()) << text;
  }
  EXPECT_FALSE(parse_address(std::string_view("1.2.3.4\0", 8)).has_value());
  EXPECT_EQ(format_address(*parse_address("2001:DB8:0::1")), "2001:db8::1");
  EXPECT_EQ(format_address(*parse_address("1.2.3.4")), "1.2.3.4");
}

}  // namespace
}  // namespace escapement::targets
