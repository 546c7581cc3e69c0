// Recovery: what the server before may have started becomes `unknown`, before anything is fired.
//
// Live runs in the stretches that were armed by the term before and that are due by now may have
// been handed to a target. Each gets an attempt `unknown`, durably, and its next number follows at
// once; a job with on_unknown "fail" stops there. The old armed stretch stays in force until all of
// them are settled, so a crash in the middle of recovery forgets nothing.
#pragma once

#include <vector>

#include "keeper.h"
#include "planner.h"

namespace escapement::engine {

class Recovery {
 public:
  Recovery(Core& core, Keeper& keeper, Planner& planner, const Recovered& recovered);

  // Starts or goes on; ends by setting core.recovered.
  void proceed();
  std::int64_t unknown_attempts() const { return unknown_; }
  // When a failed read is tried again.
  Elapsed next_retry() const { return retry_at_; }

 private:
  struct Range {
    Instant from;
    Instant until;
  };

  void load_page();
  void on_page(Result<StoreValue> result);
  void settle(const Run& row);
  Instant next_of_chain(const Run& ended) const;
  void on_settled(const Run& after, Instant next_due, const Result<Written>& result);
  void end();

  Core& core_;
  Keeper& keeper_;
  Planner& planner_;
  domain::Term previous_term_;
  Instant started_at_;
  std::vector<Range> ranges_;  // still to be read
  Instant cursor_at_ = Instant::min();
  RunId cursor_id_;
  bool reading_ = false;
  std::size_t unsettled_ = 0;
  std::int64_t unknown_ = 0;
  Elapsed retry_at_ = kNeverElapsed;
};

}  // namespace escapement::engine
