#include "faults.h"

#include <algorithm>

namespace escapement::simulation {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

enum Kind {
  kCrash,
  kDrain,
  kStepBack,
  kStepForward,
  kSuspend,
  kFreeze,
  kDrift,
  kSmallStep,
  kUnavailable,
  kFull,
  kLostAnswers,
  kStall,
  kTargetsFail,
  kTargetsHang,
  kKinds,
};

}  // namespace

Faults::Faults(Stage& stage, Random random, Victims victims)
    : stage_(stage),
      random_(random),
      server_(victims.server),
      store_(victims.store),
      targets_(victims.targets) {}

void Faults::plan(Duration length) {
  std::vector<int> kinds = {kCrash,       kCrash,       kStepBack, kStepForward, kSuspend, kFreeze,
                            kUnavailable, kLostAnswers, kStall,    kTargetsFail, kFull};
  // Half of the worlds keep clocks of one pace: there the checks are exact to the microsecond.
  const bool drifts = random_.percent(50);
  for (std::int64_t i = random_.between(0, 8); i > 0; --i) {
    const int kind = static_cast<int>(random_.between(0, kKinds - 1));
    if ((kind != kDrift && kind != kSmallStep) || drifts) kinds.push_back(kind);
  }
  store_.weather().lost_answers = random_.percent(50) ? 1 : 0;
  for (const int kind : kinds) {
    after(random_.between(seconds{90}, length), [this, kind] { strike(kind); });
  }
}

void Faults::after(Duration delay, std::function<void()> what) {
  stage_.after(delay, [this, what = std::move(what)] {
    if (!healed_) what();
  });
}

void Faults::heal() {
  healed_ = true;
  store_.weather() = {};
  targets_.weather() = {0, 0, 0, 0, 0};
  stage_.clock.set_drift(0, 0);
  stage_.clock.step_wall(-stage_.clock.wall_error());
  server_.heal();
}

void Faults::strike(int kind) {
  switch (kind) {
    case kCrash:
      return crash();
    case kDrain:
      return drain();
    case kStepBack:
      return step_back();
    case kStepForward:
      return step_forward();
    case kSuspend:
      return suspend();
    case kFreeze:
      return freeze();
    case kDrift:
      return drift();
    case kSmallStep:
      return small_step();
    case kUnavailable:
      return store_window(&StoreWeather::unavailable, "store unavailable");
    case kFull:
      return store_window(&StoreWeather::full, "store full");
    case kLostAnswers:
      return store_window(&StoreWeather::lost_answers, "lost answers");
    case kStall:
      return store_stall();
    case kTargetsFail:
      return targets_fail();
    default:
      return targets_hang();
  }
}

Duration Faults::down_time() {
  return random_.percent(20) ? Duration::zero() : random_.skewed(milliseconds{1}, minutes{10});
}

void Faults::crash() {
  stage_.fault("crash");
  server_.die_soon(random_.between(0, 30), down_time(), random_.percent(30));
}

void Faults::drain() {
  stage_.fault("drain");
  server_.drain(random_.skewed(milliseconds{1}, seconds{30}));
}

void Faults::step_back() {
  stage_.fault("step back");
  stage_.clock.step_wall(-random_.skewed(milliseconds{100}, hours{1}));
}

void Faults::step_forward() {
  stage_.fault("step forward");
  stage_.clock.step_wall(random_.skewed(milliseconds{100}, hours{1}));
}

void Faults::suspend() {
  stage_.fault("suspend");
  stage_.reach(Rare::suspend);
  stage_.clock.advance_to(stage_.truth() + random_.skewed(seconds{1}, minutes{5}));
}

void Faults::freeze() {
  stage_.fault("freeze");
  server_.freeze(random_.skewed(milliseconds{10}, seconds{30}));
}

void Faults::drift() {
  stage_.fault("drift");
  stage_.clock.set_drift(random_.between(-500, 500), random_.between(-100, 100));
}

void Faults::small_step() {
  stage_.fault("small step");
  stage_.clock.set_drift(random_.between(-50, 50), 1);
  stage_.clock.step_wall(random_.between(milliseconds{-45}, milliseconds{45}));
}

void Faults::store_window(std::int64_t StoreWeather::* share, const std::string& name) {
  stage_.fault(name);
  const std::int64_t before = store_.weather().*share;
  store_.weather().*share = random_.percent(30) ? 100 : random_.between(5, 60);
  after(random_.skewed(seconds{2}, minutes{1}),
        [this, share, before] { store_.weather().*share = std::min<std::int64_t>(before, 1); });
}

void Faults::store_stall() {
  stage_.fault("store stall");
  store_.weather().stalled = true;
  after(random_.skewed(seconds{1}, seconds{40}), [this] { store_.weather().stalled = false; });
}

void Faults::targets_fail() {
  stage_.fault("targets fail");
  targets_.weather().retryable = random_.percent(50) ? 90 : 40;
  after(random_.skewed(seconds{10}, minutes{4}), [this] { targets_.weather() = {}; });
}

void Faults::targets_hang() {
  stage_.fault("targets hang");
  targets_.weather().hang = random_.between(30, 90);
  after(random_.skewed(seconds{10}, minutes{2}), [this] { targets_.weather() = {}; });
}

}  // namespace escapement::simulation
