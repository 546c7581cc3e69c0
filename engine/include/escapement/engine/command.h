// Commands and replies: what a client may ask of the engine, already parsed and checked.
//
// A command enters through the inbox with a number chosen by the caller; exactly one reply with
// that number leaves, after the store committed and the wheel knows. Values.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "escapement/base/result.h"
#include "escapement/domain/codec.h"
#include "escapement/domain/run.h"
#include "escapement/engine/store_port.h"

namespace escapement::engine {

struct JobRef {
  std::string app;
  std::string name;
};

struct UpsertJob {
  JobRef ref;
  std::shared_ptr<const domain::JobSpec> spec;
};
struct DeleteJob {
  JobRef ref;
};
struct PauseJob {
  JobRef ref;
};
struct ResumeJob {
  JobRef ref;
};
struct TriggerJob {
  JobRef ref;
  domain::TriggerRequest request;
  std::string idempotency_key;  // empty: none
};
struct ShowJob {
  JobRef ref;
};
struct ListJobs {
  std::string app;
  std::string after_name;  // cursor: names greater than this
  std::size_t limit = 100;
};
// One timer or a batch: all or none. Existing keys are moved.
struct PutTimers {
  std::string app;
  std::vector<domain::TimerRequest> timers;
  std::string idempotency_key;
};
struct CancelTimer {
  std::string app;
  std::string key;
};
struct ShowTimer {
  std::string app;
  std::string key;
};
struct QueryRuns {  // also the list of timers: origin = timer
  ListRuns filter;
};
struct ShowRun {
  domain::RunId id;
};
struct ShowHealth {};
struct ShowMetrics {};

using CommandBody =
    std::variant<UpsertJob, DeleteJob, PauseJob, ResumeJob, TriggerJob, ShowJob, ListJobs,
                 PutTimers, CancelTimer, ShowTimer, QueryRuns, ShowRun, ShowHealth, ShowMetrics>;

struct Command {
  std::uint64_t number = 0;
  CommandBody body;
};

// ---- replies ----------------------------------------------------------------------------------

struct JobReply {
  domain::Job job;
  bool created = false;
};
struct JobPage {
  std::vector<domain::Job> jobs;
  bool more = false;
};
// Timers in the order asked; a trigger's run; `created` beside each.
struct RunsReply {
  std::vector<domain::Run> runs;
  std::vector<bool> created;
};
struct RunListReply {
  std::vector<domain::Run> runs;  // states of live runs as they are now
  bool more = false;
};
struct RunReply {
  domain::Run run;
  std::vector<domain::Attempt> attempts;
};
struct HealthReply {
  bool ready = false;
  std::string reason;  // why not ready
};

// Fixed buckets of lateness; upper bounds in microseconds, the last bucket has none.
struct LatenessHistogram {
  static constexpr std::int64_t kBounds[] = {100,    250,    500,     1'000,   2'000,    5'000,
                                             10'000, 25'000, 100'000, 500'000, 1'000'000};
  static constexpr std::size_t kBuckets = sizeof(kBounds) / sizeof(kBounds[0]) + 1;
  std::int64_t counts[kBuckets] = {};
  std::int64_t count = 0;
  std::int64_t sum_us = 0;
  std::int64_t max_us = 0;
  void add(Duration lateness);
};

struct MetricsReply {
  domain::Term term = 0;
  domain::Counters counters;    // sum over everything, as committed
  std::int64_t live_rows = -1;  // counted by the store in the last audit
  std::int64_t jobs = 0;
  std::int64_t loaded_runs = 0;  // in memory, in flight included
  std::int64_t in_flight = 0;
  std::int64_t backlog = 0;  // overdue runs in memory that wait for a place
  std::int64_t dispatched = 0;
  std::int64_t attempts_succeeded = 0;
  std::int64_t attempts_failed = 0;
  std::int64_t attempts_unknown = 0;
  std::int64_t clock_steps = 0;
  std::int64_t store_errors = 0;
  std::int64_t stale_results = 0;  // results that no attempt in flight waits for
  LatenessHistogram lateness;
};

using ReplyBody =
    std::variant<JobReply, JobPage, RunsReply, RunListReply, RunReply, HealthReply, MetricsReply>;

struct Reply {
  std::uint64_t number = 0;
  Result<ReplyBody> result;
  std::optional<domain::Run> current;  // beside a conflict: the run that stands in the way
};

}  // namespace escapement::engine
