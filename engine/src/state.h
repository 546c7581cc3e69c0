// The engine's memory: jobs, loaded runs, and what all parts share.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "escapement/engine/engine.h"
#include "escapement/timers/wheel.h"
#include "gateway.h"
#include "timeline.h"

namespace escapement::engine {

using domain::JobId;
using domain::Run;
using domain::RunId;
using domain::RunState;

struct RunIdHash {
  std::size_t operator()(RunId id) const { return std::hash<std::int64_t>{}(id.value); }
};

// A job in memory, and what waits for it.
struct JobState {
  domain::Job row;         // as committed
  bool committed = false;  // false while its creation is under way
  bool removed = false;
  bool busy = false;  // one unresolved write; the rest queue behind it
  std::deque<std::function<void()>> queue;
  Duration reference_offset{};        // timeline offset in which next_due of elapsed kinds counts
  std::size_t plan_chunk = 0;         // occurrences per write; 1 after a conflict
  Instant cut_base = Instant::min();  // occurrences up to here fall under the catch-up policy
  std::optional<Instant> cut;         // computed from cut_base when first needed
  std::set<RunId> loaded;             // its runs in memory
  std::set<RunId> active;             // started and not terminal
  std::deque<RunId> waiting;          // overlap: queue
};
using JobPtr = std::shared_ptr<JobState>;

// When an elapsed run fires, and the timeline's offset in which its stored instant was written.
struct Moment {
  Elapsed at = kNeverElapsed;  // kNeverElapsed: the wall clock decides
  Duration offset{};
};

enum class Phase {
  armed,      // in a wheel
  ready,      // due, in a lane of the dispatcher
  waiting,    // in its job's overlap queue
  held,       // disarmed while a command about it is unresolved
  in_flight,  // handed to a target
  recording,  // its result is on the way to the store
};

struct LiveRun {
  Run row;  // as committed
  Phase phase = Phase::held;
  JobPtr job;                          // null for timers
  Elapsed elapsed_at = kNeverElapsed;  // when the elapsed clock decides; else kNeverElapsed
  bool backlog = false;
  bool late_at_load = false;  // it became due while no server ran, or before its page came
  timers::Handle handle;      // in a wheel: while armed
  bool on_elapsed_wheel = false;
  timers::Handle timeout;
  domain::Attempt attempt;  // in flight or recording
  bool aborted = false;     // by a drain

  bool elapsed() const { return elapsed_at != kNeverElapsed; }
};

struct Totals {
  domain::Counters counters;
  MetricsReply metrics;
};

// What every part may touch.
struct Core {
  Core(EngineOptions the_options, const Recovered& store_facts, Now now)
      : options(the_options),
        store_name(store_facts.store_name),
        term(store_facts.term),
        time(now),
        store(store_facts.term, time, out) {}

  RunId new_run_id() { return RunId{(term << 40) + ++last_number}; }
  JobId new_job_id() { return JobId{(term << 40) + ++last_number}; }
  void notice(Notice notice) { out.push_back(std::move(notice)); }
  // Counts for a run's job, or for timers; the total always.
  void count(JobState* job, const domain::Counters& delta) {
    totals.counters += delta;
    if (job != nullptr) job->row.counters += delta;
  }

  EngineOptions options;
  std::string store_name;
  domain::Term term;
  std::int64_t last_number = 0;
  Timeline time;
  std::vector<Action> out;
  Gateway store;
  Totals totals;
  bool recovered = false;
  bool draining = false;

  std::map<std::pair<std::string, std::string>, JobPtr> jobs;
  std::unordered_map<std::int64_t, JobPtr> jobs_by_id;
};

// Runs `work` now if no write about the job is unresolved, else behind those.
void when_free(const JobPtr& job, std::function<void()> work);
// The unresolved write of the job has ended: what queued behind it goes on.
void release(const JobPtr& job);

}  // namespace escapement::engine
