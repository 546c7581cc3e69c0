// SimClock: true time, and the two clocks that a process sees of it.
//
// True time is what the world's agenda runs on; it only advances. The wall clock and the elapsed
// clock are lines over it, each with a drift; the wall clock can be stepped, the elapsed clock
// restarts when the machine reboots. A value; one thread.
#pragma once

#include "escapement/base/clock.h"

namespace escapement::simulation {

class SimClock {
 public:
  explicit SimClock(Instant wall) : origin_(wall), wall_base_(wall) {}

  // Time since the simulation began, by a clock without faults.
  Duration truth() const { return truth_; }
  Now now() const { return {wall_at(truth_), elapsed_at(truth_)}; }
  // How far the wall clock is from what it should show.
  Duration wall_error() const { return now().wall - (origin_ + truth_); }
  // The largest rate error that was ever set; both clocks together.
  std::int64_t worst_drift_ppm() const { return worst_drift_ppm_; }

  void advance_to(Duration truth);
  void set_drift(std::int64_t wall_ppm, std::int64_t elapsed_ppm);
  void step_wall(Duration delta);
  void reboot();

  // The true time at which either deadline is reached; never before now, Duration::max() for never.
  Duration when(Deadline deadline) const;

 private:
  Instant wall_at(Duration truth) const;
  Elapsed elapsed_at(Duration truth) const;
  void rebase();

  Instant origin_;
  Duration truth_{};
  Duration base_{};
  Instant wall_base_;
  Elapsed elapsed_base_{std::chrono::hours{1}};
  std::int64_t wall_ppm_ = 0;
  std::int64_t elapsed_ppm_ = 0;
  std::int64_t worst_drift_ppm_ = 0;
};

}  // namespace escapement::simulation
