#include "sim_clock.h"

#include <algorithm>
#include <cstdlib>

#include "escapement/base/check.h"

namespace escapement::simulation {
namespace {

constexpr std::int64_t kMillion = 1'000'000;

Duration stretch(Duration truth, std::int64_t ppm) {
  return truth + Duration{truth.count() * ppm / kMillion};
}

// The least true span that a clock with this drift needs to count `span`.
Duration shrink(Duration span, std::int64_t ppm) {
  if (span <= Duration::zero()) return Duration::zero();
  Duration guess = span - Duration{span.count() / kMillion * ppm} - Duration{2};
  guess = std::max(guess, Duration::zero());
  while (stretch(guess, ppm) < span) guess += std::max(span - stretch(guess, ppm), Duration{1});
  return guess;
}

}  // namespace

Instant SimClock::wall_at(Duration truth) const {
  return wall_base_ + stretch(truth - base_, wall_ppm_);
}

Elapsed SimClock::elapsed_at(Duration truth) const {
  return elapsed_base_ + stretch(truth - base_, elapsed_ppm_);
}

void SimClock::rebase() {
  wall_base_ = wall_at(truth_);
  elapsed_base_ = elapsed_at(truth_);
  base_ = truth_;
}

void SimClock::advance_to(Duration truth) {
  ESCAPEMENT_CHECK(truth >= truth_);
  truth_ = truth;
}

void SimClock::set_drift(std::int64_t wall_ppm, std::int64_t elapsed_ppm) {
  rebase();
  wall_ppm_ = wall_ppm;
  elapsed_ppm_ = elapsed_ppm;
  worst_drift_ppm_ = std::max(worst_drift_ppm_, std::abs(wall_ppm) + std::abs(elapsed_ppm));
}

void SimClock::step_wall(Duration delta) {
  rebase();
  wall_base_ += delta;
}

void SimClock::reboot() {
  rebase();
  elapsed_base_ = Elapsed{std::chrono::seconds{10}};
}

Duration SimClock::when(Deadline deadline) const {
  const Now current = now();
  Duration earliest = Duration::max();
  // Lines are measured from the base, as `now` does, so that rounding agrees.
  if (deadline.wall != kNever) {
    const Duration at = deadline.wall <= current.wall
                            ? truth_
                            : base_ + shrink(deadline.wall - wall_base_, wall_ppm_);
    earliest = std::min(earliest, at);
  }
  if (deadline.elapsed != kNeverElapsed) {
    const Duration at = deadline.elapsed <= current.elapsed
                            ? truth_
                            : base_ + shrink(deadline.elapsed - elapsed_base_, elapsed_ppm_);
    earliest = std::min(earliest, at);
  }
  return std::max(earliest, truth_);
}

}  // namespace escapement::simulation
