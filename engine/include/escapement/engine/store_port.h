// The store port: everything the engine asks of a durable store.
//
// A store executes requests asynchronously and answers through a sink. Decisions are the engine's:
// a `Write` is one transaction of small, deterministic mutations, each with the precondition that
// it checks, so that every store behaves alike and stays simple.
//
// Order: `Write` and the loads (`LoadDue`, `FindTimers`, `FindRun`, `FindOutcome`) are executed,
// and answered, in the order of submission; an answer comes after the commit. Queries (`ListRuns`,
// `GetRun`, `AuditCounters`) run beside them on a snapshot. Writes that wait together share one
// commit; one that is refused fails alone. `submit` may be called by any one thread; the sink is
// called by the store's own threads and must only enqueue.
//
// Errors: `conflict` (a precondition does not hold), `fenced` (not the current term), `full` and
// `unavailable` (nothing was changed), `unknown_outcome` (the commit was sent, no answer came: ask
// `FindOutcome`). A failed fsync ends the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "escapement/base/result.h"
#include "escapement/domain/run.h"

namespace escapement::engine {

using Ticket = std::uint64_t;

// Which planned runs may have been handed to a target under the term: next_attempt_at <= backlog
// or from <= next_attempt_at <= until. Durable before the first of them is dispatched.
struct Armed {
  Instant backlog = Instant::min();
  Instant from = Instant::max();
  Instant until = Instant::min();
  Instant written_at{};  // the wall clock when it was written

  bool covers(Instant next_attempt_at) const {
    return next_attempt_at <= backlog || (from <= next_attempt_at && next_attempt_at <= until);
  }
  bool operator==(const Armed&) const = default;
};

// ---- mutations --------------------------------------------------------------------------------

// Creates (expected_revision 0: no such (app, name)) or replaces a job's row. Counters in `job` are
// written only on creation.
struct PutJob {
  domain::Job job;
  std::int64_t expected_revision = 0;
};
// Removes the job's row and adds its counters to those of removed jobs. Its runs stay.
struct RemoveJob {
  domain::JobId id;
  std::int64_t expected_revision = 0;
};
// Moves the watermark. Conflict unless the stored next due is `from` at this revision.
struct AdvanceJob {
  domain::JobId id;
  std::int64_t expected_revision = 0;
  Instant from{};
  Instant to{};
};
// Adds a run and counts it as produced. Conflict when a run holds the same (app, key), when the
// job has an occurrence with this due, or a trigger with this idempotency key, or the id exists.
struct InsertRun {
  domain::Run run;
};
// Replaces the mutable part of a live run; `after.revision` must be expected_revision + 1. Counts
// the outcome when it becomes terminal. Conflict when missing, terminal or of another revision.
struct UpdateRun {
  domain::Run after;
  std::int64_t expected_revision = 0;
  std::optional<domain::Attempt>
      attempt;                // appended to the run's attempts, or replaces that number
  bool replace_spec = false;  // also writes after.timer (a timer was moved)
};
// A terminal timer lets go of its key, so that the key can be used again.
struct ReleaseKey {
  domain::RunId id;
};
// Deletes planned occurrences of the job that were never armed (first attempt, next_attempt_at >
// after) and takes them back from `produced`. Answers how many.
struct DropPlanned {
  domain::JobId job;
  Instant after{};
};
// Cancels every live run of the job but the given ones. Answers how many.
struct CancelPlanned {
  domain::JobId job;
  std::vector<domain::RunId> except;
  Instant at{};
  std::string reason;
};
// Records occurrences that will not run: counts them as produced and skipped.
struct AddMiss {
  domain::JobId job;
  domain::Miss miss;
};
struct SetArmed {
  Armed armed;
};
// The wall clock was stepped: moves next_attempt_at of every live run with this elapsed term.
struct ShiftElapsed {
  domain::Term elapsed_term = 0;
  Duration delta{};
};
// Deletes up to `limit` terminal runs (with their attempts) and misses that ended before.
struct Prune {
  Instant finished_before{};
  std::int64_t limit = 0;
};

using Mutation = std::variant<PutJob, RemoveJob, AdvanceJob, InsertRun, UpdateRun, ReleaseKey,
                              DropPlanned, CancelPlanned, AddMiss, SetArmed, ShiftElapsed, Prune>;

// ---- requests ---------------------------------------------------------------------------------

// One transaction, all or none.
struct Write {
  domain::Term term = 0;
  std::vector<Mutation> mutations;
};
// Live runs with next_attempt_at in [from, until], in the order (next_attempt_at, id), after the
// cursor.
struct LoadDue {
  Instant from = Instant::min();
  Instant until{};
  Instant cursor_at = Instant::min();
  domain::RunId cursor_id;
  std::size_t limit = 0;
};
struct FindTimers {
  std::string app;
  std::vector<std::string> keys;  // up to kMaxTimersPerBatch
};
struct FindRun {
  domain::RunId id;
};
// Whether a write that was answered with `unknown_outcome` was committed. A store that never gives
// that answer (memory, SQLite) need only know its last committed ticket.
struct FindOutcome {
  Ticket write = 0;
};

// Filters are conjunctive; an empty optional does not filter.
struct ListRuns {
  std::optional<std::string> app;
  std::optional<std::string> job;
  std::optional<std::string> key;
  std::optional<domain::RunState> state;
  std::optional<domain::RunOrigin> origin;
  std::optional<Instant> due_from;  // inclusive
  std::optional<Instant> due_to;    // exclusive
  // Newest first by id; continue below this id.
  std::optional<domain::RunId> before;
  std::size_t limit = 100;
};
struct GetRun {
  domain::RunId id;
};
struct AuditCounters {};

using StoreRequest =
    std::variant<Write, LoadDue, FindTimers, FindRun, FindOutcome, ListRuns, GetRun, AuditCounters>;

// ---- answers ----------------------------------------------------------------------------------

struct Written {
  std::vector<std::int64_t> affected;  // one number per mutation: rows changed
};
struct RunPage {  // LoadDue, FindTimers (order of keys), FindRun, ListRuns
  std::vector<domain::Run> runs;
  bool more = false;
};
struct Outcome {
  bool committed = false;
};
struct RunDetails {  // GetRun; no run: not found
  std::optional<domain::Run> run;
  std::vector<domain::Attempt> attempts;
};
// Live rows counted one by one beside what the counters say they should be.
struct AuditReport {
  std::int64_t live_rows = 0;
  domain::Counters counters;  // sum over jobs, removed jobs and timers
};
using StoreValue = std::variant<Written, RunPage, Outcome, RunDetails, AuditReport>;

struct StoreAnswer {
  Ticket ticket = 0;
  Result<StoreValue> result;
};
// Called from the store's threads with answers in order; must only enqueue.
using StoreSink = std::function<void(std::vector<StoreAnswer>)>;

// What a store knows at open. Opening bumps the term, durably.
struct Recovered {
  std::string store_name;          // random, made once; 10 characters of a-z2-7
  domain::Term term = 0;           // the new one
  domain::Term previous_term = 0;  // 0: first start
  Armed armed;                     // of the term before
  std::vector<domain::Job> jobs;
  domain::Counters timers;
  domain::Counters removed_jobs;
};

class Store {
 public:
  virtual ~Store() = default;
  virtual void submit(Ticket ticket, StoreRequest request) = 0;
};

}  // namespace escapement::engine
