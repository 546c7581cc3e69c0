#include "timeline.h"

namespace escapement::engine {

std::optional<Duration> Timeline::advance(Now now) {
  ESCAPEMENT_CHECK(now.elapsed >= now_.elapsed);
  now_ = now;
  const Duration delta = offset_of(now) - offset_;
  if (delta < kStepThreshold && delta > -kStepThreshold) return std::nullopt;
  offset_ += delta;
  return delta;
}

Elapsed Timeline::to_elapsed(Instant wall, Duration offset) {
  if (wall == kNever) return kNeverElapsed;
  return Elapsed{saturating_add(wall, -offset).time_since_epoch()};
}

Instant Timeline::to_wall(Elapsed elapsed) const {
  if (elapsed == kNeverElapsed) return kNever;
  return saturating_add(Instant{elapsed.time_since_epoch()}, offset_);
}

}  // namespace escapement::engine
