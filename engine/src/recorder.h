// Recorder: turns results into state changes; retries and fixed-delay next dues are computed here.
#pragma once

#include <functional>

#include "keeper.h"
#include "planner.h"

namespace escapement::engine {

class Recorder {
 public:
  using TerminalHandler = std::function<void(LiveRun&)>;

  Recorder(Core& core, Keeper& keeper, Planner& planner)
      : core_(core), keeper_(keeper), planner_(planner), random_(core.options.seed) {}

  // The result of an attempt in flight; false when nothing waits for it.
  bool on_result(AttemptResult result);
  // Ends a run that was not handed to a target.
  void finish(LiveRun& run, RunState state, const std::string& reason);
  void set_on_terminal(TerminalHandler handler) { on_terminal_ = std::move(handler); }
  // An attempt of this job (or of none) is over and recorded.
  void set_on_settled(std::function<void(const JobPtr&)> handler) {
    on_settled_ = std::move(handler);
  }

  // What follows a failed attempt: the next instant, or nothing when the run has failed for good.
  std::optional<Duration> next_delay(const Run& row, const domain::RetryPolicy& retry,
                                     const AttemptResult& result, Instant now);

  // Adds the next occurrence of a fixed_delay job whose run ends, or nothing.
  static const domain::RetryPolicy& retry_policy(const LiveRun& run);

 private:
  struct Ending {
    Run after;
    std::optional<domain::Attempt> attempt;
    Moment moment;              // of the next attempt
    Instant next_due = kNever;  // of a fixed_delay job
    bool chains = false;
  };

  void settle(LiveRun& run, const AttemptResult& result, Ending& ending);
  void settle_failure(LiveRun& run, const AttemptResult& result, Ending& ending);
  void record(LiveRun& run, Ending ending);
  void write(RunId id, Ending ending);
  void chain_fixed_delay(LiveRun& run, Ending& ending);
  void on_recorded(RunId id, Ending& ending, const Result<Written>& result);
  void on_ended(LiveRun& run, Ending& ending);
  std::uint64_t next_random();

  Core& core_;
  Keeper& keeper_;
  Planner& planner_;
  TerminalHandler on_terminal_;
  std::function<void(const JobPtr&)> on_settled_;
  std::uint64_t random_;
  Instant pruned_at_ = Instant::min();
};

domain::Counters outcome_of(RunState state);

}  // namespace escapement::engine
