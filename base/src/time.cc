#include "escapement/base/time.h"

namespace escapement {
namespace {

Duration clamped_sum(Duration a, Duration b) {
  Duration::rep sum = 0;
  if (!__builtin_add_overflow(a.count(), b.count(), &sum)) return Duration{sum};
  return b.count() > 0 ? Duration::max() : Duration::min();
}

}  // namespace

Instant saturating_add(Instant a, Duration b) {
  return Instant{clamped_sum(a.time_since_epoch(), b)};
}

Elapsed saturating_add(Elapsed a, Duration b) {
  return Elapsed{clamped_sum(a.time_since_epoch(), b)};
}

}  // namespace escapement
