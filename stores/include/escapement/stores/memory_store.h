// The store in memory: the reference that every other store must equal, and the simulator's disk.
//
// `MemoryState` is the durable content as a plain, copyable value; copying it is taking a snapshot
// of the disk. A write is applied in place with a log of what it replaced, and that log is played
// backward when a precondition fails: all or none at the cost of the rows touched, O(log n) each.
// `execute` is the whole store port as a pure synchronous function; `MemoryStore` wraps it:
//
//   MemoryState state;
//   Recovered recovered = open(state);                 // a start: the term grows
//   StoreAnswer answer = execute(state, 1, engine::FindRun{id});
//
// Values; one thread at a time.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "escapement/engine/store_port.h"

namespace escapement::stores {

class MemoryState {
 public:
  // `store_name`: 10 characters of a-z2-7.
  explicit MemoryState(std::string store_name = "memorystor")
      : store_name_(std::move(store_name)) {}

  // All or none. Errors: `fenced`, `conflict`, `invalid` (the write makes no sense in any state).
  Result<engine::Written> apply(const engine::Write& write);
  // The same, and remembers the ticket for `committed` when it succeeds.
  Result<engine::Written> apply(engine::Ticket ticket, const engine::Write& write);

  engine::RunPage load_due(const engine::LoadDue& request) const;
  Result<engine::RunPage> find_timers(const engine::FindTimers& request) const;
  engine::RunPage find_run(domain::RunId id) const;
  bool committed(engine::Ticket ticket) const { return ticket <= last_ticket_; }
  engine::RunPage list_runs(const engine::ListRuns& request) const;
  engine::RunDetails get_run(domain::RunId id) const;
  engine::AuditReport audit() const;

  domain::Term term() const { return meta_.term; }
  std::size_t run_count() const { return runs_.size(); }
  std::size_t live_count() const { return live_.size(); }
  const std::map<domain::JobId, domain::Job>& jobs() const { return jobs_; }
  std::vector<std::pair<domain::JobId, domain::Miss>> misses() const;

  // See `open`.
  engine::Recovered start(bool bump_term);

 private:
  friend class MemoryTransaction;

  struct RunRow {
    domain::Run run;
    bool key_held = false;
  };
  struct MissRow {
    domain::JobId job;
    domain::Miss miss;
  };
  struct Meta {
    domain::Term term = 0;
    engine::Armed armed;
    domain::Counters timers;
    domain::Counters removed_jobs;
  };
  using AttemptKey = std::pair<domain::RunId, std::int64_t>;
  using At = std::pair<Instant, domain::RunId>;
  using Name = std::pair<std::string, std::string>;

  // The only places that change content: each keeps the indexes in step and returns what was there.
  std::optional<RunRow> replace_run(domain::RunId id, std::optional<RunRow> row);
  std::optional<domain::Job> replace_job(domain::JobId id, std::optional<domain::Job> job);
  std::optional<domain::Attempt> replace_attempt(AttemptKey key,
                                                 std::optional<domain::Attempt> attempt);
  std::optional<MissRow> replace_miss(std::int64_t id, std::optional<MissRow> row);
  void index(const RunRow& row);
  void unindex(const RunRow& row);

  std::string store_name_;
  engine::Ticket last_ticket_ = 0;
  std::int64_t next_miss_ = 1;
  Meta meta_;
  std::map<domain::RunId, RunRow> runs_;
  std::map<domain::JobId, domain::Job> jobs_;
  std::map<AttemptKey, domain::Attempt> attempts_;
  std::map<std::int64_t, MissRow> misses_;

  std::set<At> live_;      // (next_attempt_at, id)
  std::set<At> finished_;  // (finished_at, id)
  std::set<std::pair<domain::JobId, domain::RunId>> live_of_job_;
  std::map<Name, domain::RunId> keys_;                                       // (app, key), held
  std::map<std::pair<domain::JobId, Instant>, domain::RunId> occurrences_;   // (job, due)
  std::map<std::pair<domain::JobId, std::string>, domain::RunId> triggers_;  // (job, idempotency)
  std::map<Name, domain::JobId> job_names_;                                  // (app, name)
  std::set<std::pair<Instant, std::int64_t>> ended_misses_;                  // (to, miss)
};

// A start of a server: bumps the term and answers what is there. `armed` stays as the terms before
// left it until the first SetArmed. `bump_term = false` takes out the guard, for tests that prove
// that its absence is noticed.
engine::Recovered open(MemoryState& state, bool bump_term = true);

// Executes any request at once.
engine::StoreAnswer execute(MemoryState& state, engine::Ticket ticket,
                            const engine::StoreRequest& request);

// Answers through the sink from inside `submit`, on the caller's thread. `state` must outlive it.
class MemoryStore : public engine::Store {
 public:
  MemoryStore(MemoryState& state, engine::StoreSink sink)
      : state_(&state), sink_(std::move(sink)) {}
  void submit(engine::Ticket ticket, engine::StoreRequest request) override;

 private:
  MemoryState* state_;
  engine::StoreSink sink_;
};

}  // namespace escapement::stores
