// Whatever parse_url takes, it can write down and read back to the same value, and the pieces that
// go into a request hold no byte that could end a line.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "escapement/base/check.h"
#include "escapement/targets/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace escapement::targets;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto url = parse_url(text);
  if (!url.ok()) return 0;
  const auto again = parse_url(origin_of(*url) + url->target);
  ESCAPEMENT_CHECK(!again.ok() || *again == *url);
  ESCAPEMENT_CHECK(again.ok() || text.size() + 16 > 8192);
  for (const char c : host_header(*url) + url->target) ESCAPEMENT_CHECK(c > ' ' && c < 0x7f);
  return 0;
}
