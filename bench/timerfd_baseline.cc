// The least lateness that this machine allows: one thread, one absolute timerfd, nothing else.
//
//   timerfd_baseline RATE COUNT     expirations per second, how many
//
// Arms CLOCK_REALTIME at start + k / RATE, one at a time, and prints the lateness of each wake-up
// as percentiles in JSON, in microseconds. The timer slack of the thread is 1 ns, as the server's.
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "escapement/base/check.h"
#include "escapement/base/clock.h"

namespace escapement {
namespace {

constexpr std::int64_t kMicrosPerSecond = 1'000'000;

timespec to_timespec(Instant at) {
  const std::int64_t micros = to_micros(at);
  return {micros / kMicrosPerSecond, micros % kMicrosPerSecond * 1000};
}

// Waits until `due` and answers how late the wake-up is.
std::int64_t lateness_of(int timer, Clock& clock, Instant due) {
  itimerspec when{};
  when.it_value = to_timespec(due);
  ESCAPEMENT_CHECK(::timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, nullptr) == 0);
  std::uint64_t expirations = 0;
  ESCAPEMENT_CHECK(::read(timer, &expirations, sizeof expirations) == sizeof expirations);
  return (clock.now().wall - due).count();
}

std::vector<std::int64_t> measure(std::int64_t rate, std::int64_t count) {
  ESCAPEMENT_CHECK(::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL) == 0);
  const int timer = ::timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
  ESCAPEMENT_CHECK(timer >= 0);
  const std::unique_ptr<Clock> clock = make_system_clock();
  const Instant start = clock->now().wall;
  std::vector<std::int64_t> lateness;
  for (std::int64_t k = 1; k <= count; ++k) {
    const Duration offset{k * kMicrosPerSecond / rate};
    lateness.push_back(lateness_of(timer, *clock, start + offset));
  }
  ::close(timer);
  std::sort(lateness.begin(), lateness.end());
  return lateness;
}

}  // namespace
}  // namespace escapement

int main(int argc, char** argv) {
  const long rate = argc == 3 ? std::atol(argv[1]) : 0;
  const long count = argc == 3 ? std::atol(argv[2]) : 0;
  if (rate < 1 || count < 1) {
    std::fprintf(stderr, "usage: timerfd_baseline RATE COUNT\n");
    return 2;
  }
  const std::vector<std::int64_t> lateness = escapement::measure(rate, count);
  const auto at = [&](std::size_t percent) {
    return static_cast<long>(lateness[(lateness.size() - 1) * percent / 100]);
  };
  std::printf("{\"count\": %ld, \"p50_us\": %ld, \"p99_us\": %ld, \"max_us\": %ld}\n", count,
              at(50), at(99), at(100));
  return 0;
}
