#include "http_outcome.h"

#include <gtest/gtest.h>

namespace escapement::targets {
namespace {

using std::chrono::seconds;

TEST(RetryAfter, ReadsSecondsAndDatesAndCapsThem) {
  const Instant now = *parse_instant("1994-11-06T08:49:37Z");
  struct Case {
    const char* text;
    std::optional<Duration> wanted;
  };
  const Case cases[] = {
      {"0", seconds{0}},
      {"120", seconds{120}},
      {"86400", kMaxRetryAfter},
      {"86401", kMaxRetryAfter},
      {"99999999999999999999", kMaxRetryAfter},
      {"Sun, 06 Nov 1994 08:50:37 GMT", seconds{60}},
      {"Sun, 06 Nov 1994 08:49:36 GMT", seconds{0}},
      {"Sun, 06 Nov 2094 08:49:37 GMT", kMaxRetryAfter},
      {"", std::nullopt},
      {"-1", std::nullopt},
      {"1.5", std::nullopt},
      {"soon", std::nullopt},
      {"1 s", std::nullopt},
      {"Sun, 06 Foo 1994 08:50:37 GMT", std::nullopt},
      {"Sun, 99 Nov 1994 08:50:37 GMT", std::nullopt},
      {"Sunday, 06-Nov-94 08:49:37 GMT", std::nullopt},
  };
  for (const Case& item : cases)
    EXPECT_EQ(parse_retry_after(item.text, now), item.wanted) << item.text;
}

}  // namespace
}  // namespace escapement::targets
