// SpecMaker: random jobs and timers of every kind.
//
// Periods are chosen so that a simulated hour holds some hundred to a few thousand runs. One
// thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "escapement/domain/codec.h"
#include "random.h"

namespace escapement::simulation {

// The zones in use; some seeds begin shortly before a transition of one of them.
inline const std::vector<std::string> kZones = {"UTC",
                                                "Europe/Berlin",
                                                "America/New_York",
                                                "Australia/Lord_Howe",
                                                "America/Sao_Paulo",
                                                "Asia/Kathmandu"};

class SpecMaker {
 public:
  explicit SpecMaker(Random random) : random_(random) {}

  std::shared_ptr<const domain::JobSpec> job(Instant now);
  // Fires every 50 to 500 ms: to be deleted soon.
  std::shared_ptr<const domain::JobSpec> rapid_job();
  std::shared_ptr<const domain::TimerSpec> timer();

 private:
  domain::Schedule schedule(Instant now);
  domain::Schedule cron();
  domain::EverySchedule every(Instant now);
  domain::RetryPolicy retry();
  domain::CatchUpPolicy catch_up();
  domain::OverlapPolicy overlap();
  Duration timeout();

  Random random_;
};

}  // namespace escapement::simulation
