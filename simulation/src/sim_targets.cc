#include "sim_targets.h"

namespace escapement::simulation {
namespace {

using domain::AttemptState;
using std::chrono::milliseconds;
using std::chrono::seconds;

}  // namespace

void SimTargets::start(const engine::Dispatch& dispatch) {
  Flight flight{random_.percent(weather_.hang), ++flights_begun_};
  flights_[dispatch.key] = flight;
  if (flight.hanging) return;
  answer_after(latency(), decide(dispatch.key), flight.number);
}

// An attempt that hangs ends soon after; some finish their work first and report that.
void SimTargets::abort(const engine::AttemptKey& key) {
  const auto found = flights_.find(key);
  if (found == flights_.end()) return;
  found->second.number = ++flights_begun_;
  engine::AttemptResult result{.key = key, .state = AttemptState::timed_out, .error = "aborted"};
  if (random_.percent(20)) result = {.key = key, .state = AttemptState::succeeded};
  const Duration limit = random_.percent(20) ? Duration{seconds{3}} : Duration{milliseconds{30}};
  answer_after(random_.between(Duration{100}, limit), result, found->second.number);
}

void SimTargets::drop_all() {
  ++life_;
  flights_.clear();
}

Duration SimTargets::latency() {
  if (random_.one_in(100)) return random_.between(seconds{2}, seconds{20});
  return random_.skewed(Duration{300}, milliseconds{800});
}

engine::AttemptResult SimTargets::decide(const engine::AttemptKey& key) {
  engine::AttemptResult result{.key = key, .status = 200};
  std::int64_t dice = random_.between(0, 99);
  const auto falls = [&dice](std::int64_t share) { return (dice -= share) < 0; };
  if (falls(weather_.retryable)) {
    result.state = AttemptState::failed;
    result.status = 503;
    result.error = "simulated: try again";
  } else if (falls(weather_.final)) {
    result.state = AttemptState::failed;
    result.retryable = false;
    result.status = 422;
    result.error = "simulated: never";
  } else if (falls(weather_.retry_after)) {
    result.state = AttemptState::failed;
    result.status = 429;
    result.error = "simulated: later";
    result.retry_after = random_.between(milliseconds{500}, seconds{20});
  }
  return result;
}

void SimTargets::answer_after(Duration delay, engine::AttemptResult result, std::uint64_t flight) {
  stage_.after(delay, [this, life = life_, flight, result = std::move(result)] {
    const auto found = flights_.find(result.key);
    if (life != life_ || found == flights_.end() || found->second.number != flight) return;
    flights_.erase(found);
    if (random_.percent(weather_.twice)) {
      repeat_after(random_.skewed(Duration{50}, seconds{2}), result);
    }
    on_result_(result);
  });
}

void SimTargets::repeat_after(Duration delay, engine::AttemptResult result) {
  stage_.after(delay, [this, life = life_, result = std::move(result)] {
    if (life == life_) on_result_(result);
  });
}

}  // namespace escapement::simulation
