// Any text in any zone: parse, next, previous, describe and lint never crash, and agree.
//
// Input: one byte dialect, one byte zone, eight bytes instant, then the expression.

#include <array>
#include <cstring>
#include <string_view>

#include "escapement/base/check.h"
#include "escapement/calendar/cron.h"
#include "escapement/calendar/describe.h"

namespace {

using namespace escapement;
using namespace escapement::calendar;

constexpr std::array<const char*, 8> kZones = {
    "UTC",          "America/New_York", "Europe/Dublin",    "Australia/Lord_Howe",
    "Pacific/Apia", "Asia/Tehran",      "America/St_Johns", "Africa/Casablanca"};
constexpr std::size_t kHeaderBytes = 10;

void check_consistent(const Cron& cron, Instant at) {
  const auto next = cron.next(at);
  ESCAPEMENT_CHECK(!next || *next > at);
  const auto previous = cron.previous(at);
  ESCAPEMENT_CHECK(!previous || *previous < at);
  if (!next || cron.every()) return;
  const auto back = cron.previous(*next);
  ESCAPEMENT_CHECK(!back || *back <= at);
  ESCAPEMENT_CHECK(!previous || (back && *back >= *previous));
  if (previous) ESCAPEMENT_CHECK(cron.next(*previous) == (back > previous ? back : next));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < kHeaderBytes) return 0;
  std::int64_t micros = 0;
  std::memcpy(&micros, data + 2, sizeof micros);
  const std::string text(data + kHeaderBytes, data + size);
  const Zone zone = *Zone::load(kZones[data[1] % kZones.size()]);
  const auto cron = Cron::parse(text, data[0] % 2 == 0 ? Dialect::kUnix : Dialect::kQuartz, zone);
  if (!cron.ok()) {
    ESCAPEMENT_CHECK(!cron.error().message.empty());
    return 0;
  }
  check_consistent(*cron, from_micros(micros));
  ESCAPEMENT_CHECK(!describe(*cron).empty());
  lint(*cron, from_micros(micros));
  return 0;
}
