// Dispatcher: hands due runs to targets, within the limits.
//
// Two lanes: on-time work and overdue work (the backlog). While both wait, one dispatch in five
// goes to the backlog, so that on-time work keeps 80 % of the capacity; what it does not use the
// backlog gets. Nothing leaves before its instant is durably armed.
#pragma once

#include <deque>

#include "keeper.h"
#include "planner.h"
#include "recorder.h"

namespace escapement::engine {

class Dispatcher {
 public:
  Dispatcher(Core& core, Keeper& keeper, Planner& planner, Recorder& recorder);

  void on_due(LiveRun& run);
  void on_timeout(RunId id, std::int64_t attempt);
  // Dispatches as much as the limits allow.
  void dispatch();
  // Drain: what is in flight is aborted.
  void abort_all();

  std::size_t in_flight() const { return in_flight_; }
  std::size_t backlog() const { return backlog_.size(); }
  // A result has arrived, or the attempt is otherwise over.
  void on_attempt_over() { --in_flight_; }

 private:
  LiveRun* pick();
  LiveRun* front(std::deque<RunId>& lane);
  void dispatch_run(LiveRun& run);
  bool admit(LiveRun& run);
  bool may_start(const LiveRun& run) const;
  void wake_waiting(JobState& job);
  bool is_missed(LiveRun& run);
  void hand_over(LiveRun& run);
  Dispatch make_dispatch(const LiveRun& run) const;

  Core& core_;
  Keeper& keeper_;
  Planner& planner_;
  Recorder& recorder_;
  std::deque<RunId> on_time_;
  std::deque<RunId> backlog_;
  std::size_t in_flight_ = 0;
  std::uint64_t picks_ = 0;
};

}  // namespace escapement::engine
