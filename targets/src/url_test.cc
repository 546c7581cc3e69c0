#include "escapement/targets/url.h"

#include <gtest/gtest.h>

#include "escapement/domain/limits.h"

namespace escapement::targets {
namespace {

struct Taken {
  const char* text;
  Url url;
};

TEST(Url, TakesWhatIsPlain) {
  const Taken cases[] = {
      {"http://example.com", {false, "example.com", false, 80, "/"}},
      {"https://example.com/", {true, "example.com", false, 443, "/"}},
      {"HTTPS://Example.COM/A/b", {true, "example.com", false, 443, "/A/b"}},
      {"http://example.com:8080/x?y=z&q=%20", {false, "example.com", false, 8080, "/x?y=z&q=%20"}},
      {"http://example.com?y", {false, "example.com", false, 80, "/?y"}},
      {"http://10.1.2.3:1/", {false, "10.1.2.3", false, 1, "/"}},
      {"http://[::1]:65535/a", {false, "::1", true, 65535, "/a"}},
      {"http://[2001:DB8::A]", {false, "2001:db8::a", true, 80, "/"}},
      {"http://my_service-1/%2F%2f", {false, "my_service-1", false, 80, "/%2F%2f"}},
      {"http://a.b/c@d:e", {false, "a.b", false, 80, "/c@d:e"}},
      {"http://a.b//c//", {false, "a.b", false, 80, "//c//"}},
      {"http://3com.example/", {false, "3com.example", false, 80, "/"}},
  };
  for (const Taken& taken : cases) {
    const auto url = parse_url(taken.text);
    ASSERT_TRUE(url.ok()) << taken.text << ": " << url.error().message;
    EXPECT_EQ(*url, taken.url) << taken.text;
    EXPECT_TRUE(check_url(taken.text).ok());
  }
}

// clang-format off
constexpr const char* kRefused[] = {
    "", "example.com", "//example.com/", "ftp://example.com/", "file:///etc/passwd",
    "http:/example.com", "http:example.com", "http//example.com", "http://", "http:///path",
    "http://?q", "javascript:alert(1)", "gopher://x/", "httpx://x/", " http://x/", "http://x/ ",
    "http://x/a b", "http://x/\r\nHost: y", "http://x/\n", "http://x/\t", "http://user@x/",
    "http://user:pass@x/", "http://x@y@z/", "http://@x/", "http://x:80@y/", "http://x\\@y/",
    "http://x\\y/", "http://x/\"", "http://x/<a>", "http://x/{a}", "http://x/|", "http://x/^",
    "http://x/`", "http://x/#fragment", "http://x#f", "http://x:/", "http://x:0/",
    "http://x:65536/", "http://x:99999999999/", "http://x:-1/", "http://x:+1/", "http://x:8o/",
    "http://x:80:80/", "http://x: 80/", "http://.x/", "http://x./", "http://x..y/", "http://-x/",
    "http://x-/", "http://x!/", "http://%65xample.com/", "http://x%00/", "http://\xc3\xa4.de/",
    "http://x/\xc3\xa4", "http://127.1/", "http://2130706433/", "http://0x7f000001/",
    "http://0x7f.0.0.1/", "http://0177.0.0.1/", "http://127.0.0.01/", "http://1.2.3.4.5/",
    "http://256.1.1.1/", "http://1.2.3/", "http://x.0x1/", "http://x.1/", "http://[::1/",
    "http://::1/", "http://[::1]x/", "http://[::1]80/", "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/", "http://[]/", "http://[127.0.0.1]/", "http://[::g]/",
    "http://[v1.x]/", "http://[[::1]]/", "http://x/%", "http://x/%1", "http://x/%zz",
    "http://x/%2", "http://x/\x7f",
};
// clang-format on

TEST(Url, RefusesWhatParsersDisagreeAbout) {
  for (const char* text : kRefused) {
    const Status status = check_url(text);
    ASSERT_FALSE(status.ok()) << text;
    EXPECT_EQ(status.error().code, ErrorCode::invalid) << text;
    EXPECT_EQ(status.error().field, "url") << text;
    EXPECT_FALSE(status.error().message.empty()) << text;
  }
  EXPECT_FALSE(check_url(std::string_view("http://x/\0y", 11)).ok());
  EXPECT_FALSE(check_url(std::string_view("http://x\0y/", 11)).ok());
}

TEST(Url, HasLimits) {
  const std::string base = "http://x/";
  const auto of_size = [&](std::size_t size) {
    return base + std::string(size - base.size(), 'a');
  };
  EXPECT_TRUE(check_url(of_size(domain::kMaxUrlBytes - 1)).ok());
  EXPECT_TRUE(check_url(of_size(domain::kMaxUrlBytes)).ok());
  EXPECT_FALSE(check_url(of_size(domain::kMaxUrlBytes + 1)).ok());
  EXPECT_TRUE(check_url("http://" + std::string(63, 'a') + "/").ok());
  EXPECT_FALSE(check_url("http://" + std::string(64, 'a') + "/").ok());
  const std::string label(62, 'a');
  const std::string host = label + "." + label + "." + label + "." + label;  // 251 bytes
  EXPECT_TRUE(check_url("http://" + host + ".a/").ok());
  EXPECT_FALSE(check_url("http://" + host + ".aa/").ok());
}

TEST(Url, WritesHostAndOrigin) {
  EXPECT_EQ(host_header(*parse_url("http://a.b/")), "a.b");
  EXPECT_EQ(host_header(*parse_url("http://a.b:80/")), "a.b");
  EXPECT_EQ(host_header(*parse_url("https://a.b:80/")), "a.b:80");
  EXPECT_EQ(host_header(*parse_url("http://[::1]:8080/")), "[::1]:8080");
  EXPECT_EQ(origin_of(*parse_url("https://A.b/x")), "https://a.b:443");
  EXPECT_EQ(origin_of(*parse_url("http://[::1]/x")), "http://[::1]:80");
}

}  // namespace
}  // namespace escapement::targets
