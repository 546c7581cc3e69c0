// Planner: looks ahead, writes runs and the job's next due in one transaction, then hands them
// over.
//
// The watermark (the job's stored next due) only moves forward, so an occurrence is produced once
// whatever crashes. Occurrences that were due while nobody served fall under the job's catch-up
// policy: everything before its `cut` is recorded as missed, as a range. Jobs are visited in the
// order of their next due, a bounded number of occurrences a step.
#pragma once

#include <set>
#include <utility>

#include "keeper.h"

namespace escapement::engine {

class Planner {
 public:
  Planner(Core& core, Keeper& keeper) : core_(core), keeper_(keeper) {}

  // A job joined, or its next due changed: it is visited when that comes into sight.
  void enlist(const JobPtr& job);
  void withdraw(const JobPtr& job);
  // Plans what is within the horizon. True when more is left for the next step.
  bool plan();
  // When the next job comes into sight.
  Deadline next_wakeup() const;
  void on_step(Duration delta);

  // Occurrences of the job that are due before this are not run but recorded as missed.
  Instant cut(JobState& job) const;
  // Everything due up to `base` is overdue work under the catch-up policy.
  static void set_cut_base(JobState& job, Instant base);

  // First due of a schedule for a job made or resumed at `now`, strictly after `after`.
  Instant first_due(const domain::JobSpec& spec, Instant anchor, Instant after) const;

  // The stored wall instant at which an occurrence of the job fires.
  Instant fire_at(const JobState& job, Instant due) const;
  // Its inverse: the due of an occurrence that fires then.
  Instant due_of(const JobState& job, Instant fires_at) const;

 private:
  struct Batch {
    Mutations mutations;
    std::vector<Run> runs;
    domain::Miss miss;
    Instant next{};
    Duration offset{};  // of the timeline, when the runs were made
  };

  Batch make_batch(JobState& job, Instant horizon);
  bool take_misses(JobState& job, Batch& batch);
  Run make_run(const JobState& job, Instant due);
  std::optional<Instant> following(const JobState& job, Instant due) const;
  void write(const JobPtr& job, Batch batch);
  void on_written(const JobPtr& job, Batch& batch, const Result<Written>& result);
  void on_conflict(const JobPtr& job, Batch& batch);
  Instant compute_cut(const JobState& job) const;
  Instant plan_horizon() const;
  Instant visit_horizon() const;

  Core& core_;
  Keeper& keeper_;
  std::set<std::pair<Instant, std::int64_t>> due_;  // (fires at, job id)
  std::unordered_map<std::int64_t, Instant> listed_;
};

}  // namespace escapement::engine
