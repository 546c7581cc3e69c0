// SimTargets: receivers that succeed, fail, ask to wait, hang, answer twice or answer too late.
//
// Results of attempts die with the process that waits for them; that the receiver was called does
// not: the world's ledger (History) keeps every start. One thread.
#pragma once

#include <functional>
#include <map>

#include "escapement/engine/target_port.h"
#include "random.h"
#include "stage.h"

namespace escapement::simulation {

// In percent of attempts; what is left succeeds.
struct TargetWeather {
  std::int64_t retryable = 6;
  std::int64_t final = 2;
  std::int64_t retry_after = 2;
  std::int64_t hang = 2;
  std::int64_t twice = 3;
};

class SimTargets {
 public:
  using ResultHandler = std::function<void(engine::AttemptResult)>;

  SimTargets(Stage& stage, Random random) : stage_(stage), random_(random) {}

  void set_on_result(ResultHandler handler) { on_result_ = std::move(handler); }
  void start(const engine::Dispatch& dispatch);
  void abort(const engine::AttemptKey& key);
  void drop_all();
  TargetWeather& weather() { return weather_; }

 private:
  struct Flight {
    bool hanging = false;
    std::uint64_t number = 0;
  };

  engine::AttemptResult decide(const engine::AttemptKey& key);
  void answer_after(Duration delay, engine::AttemptResult result, std::uint64_t flight);
  void repeat_after(Duration delay, engine::AttemptResult result);
  Duration latency();

  Stage& stage_;
  Random random_;
  TargetWeather weather_;
  ResultHandler on_result_;
  std::map<engine::AttemptKey, Flight> flights_;
  std::uint64_t flights_begun_ = 0;
  std::uint64_t life_ = 0;
};

}  // namespace escapement::simulation
