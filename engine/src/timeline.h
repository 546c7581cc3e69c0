// Timeline: the engine's view of both clocks, and of the steps between them.
//
// The offset wall - elapsed is constant until somebody steps the wall clock. Elapsed work keeps a
// stored wall instant too; `align` says by how much those instants have to be moved after a step.
#pragma once

#include <algorithm>
#include <optional>

#include "escapement/base/clock.h"

namespace escapement::engine {

// Smaller differences are left alone: they only move stored instants, never a firing.
inline constexpr Duration kStepThreshold = std::chrono::milliseconds{50};

class Timeline {
 public:
  explicit Timeline(Now now) : now_(now), offset_(offset_of(now)) {}

  // Takes new readings. Answers the step since the last alignment, if there was one.
  std::optional<Duration> advance(Now now);

  Now now() const { return now_; }
  Duration offset() const { return offset_; }
  Elapsed to_elapsed(Instant wall) const { return to_elapsed(wall, offset_); }
  static Elapsed to_elapsed(Instant wall, Duration offset);
  // Elapsed as the stored wall instant, by the aligned offset.
  Instant to_wall(Elapsed elapsed) const;
  // What to store for work that is due at `elapsed` and, by the wall clock of now, at `wall`: a
  // small step may not have been aligned yet, and the later of the two is never early.
  Instant to_stored(Elapsed elapsed, Instant wall) const {
    return std::max(to_wall(elapsed), wall);
  }

 private:
  static Duration offset_of(Now now) {
    return now.wall.time_since_epoch() - now.elapsed.time_since_epoch();
  }

  Now now_;
  Duration offset_;
};

}  // namespace escapement::engine
