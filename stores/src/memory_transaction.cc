// One write on a MemoryState: each mutation changes rows in place and remembers what it replaced.

#include <algorithm>

#include "escapement/stores/memory_store.h"
#include "write_rules.h"

namespace escapement::stores {

using namespace engine;
using namespace domain;

using Affected = Result<std::int64_t>;

class MemoryTransaction {
 public:
  explicit MemoryTransaction(MemoryState& state) : state_(state), meta_(state.meta_) {}

  Affected apply(const PutJob& put);
  Affected apply(const RemoveJob& remove);
  Affected apply(const AdvanceJob& advance);
  Affected apply(const InsertRun& insert);
  Affected apply(const UpdateRun& update);
  Affected apply(const ReleaseKey& release);
  Affected apply(const DropPlanned& drop);
  Affected apply(const CancelPlanned& cancel);
  Affected apply(const AddMiss& add);
  Affected apply(const SetArmed& set);
  Affected apply(const ShiftElapsed& shift);
  Affected apply(const Prune& prune);

  void roll_back();

 private:
  using RunRow = MemoryState::RunRow;
  using MissRow = MemoryState::MissRow;
  template <typename Key, typename Value>
  struct Change {
    Key key;
    std::optional<Value> before;
  };
  using Undo =
      std::variant<Change<RunId, RunRow>, Change<JobId, Job>,
                   Change<MemoryState::AttemptKey, Attempt>, Change<std::int64_t, MissRow>>;

  void put(RunId id, std::optional<RunRow> row);
  void put(JobId id, std::optional<Job> job);
  void put(MemoryState::AttemptKey key, std::optional<Attempt> attempt);
  void put(std::int64_t id, std::optional<MissRow> row);

  Job* job_at(JobId id, std::int64_t revision);
  void count(JobId id, const Counters& counts);
  void remove_run(RunId id);
  std::int64_t prune_runs(const Prune& prune);
  std::int64_t prune_misses(const Prune& prune, std::int64_t limit);

  MemoryState& state_;
  MemoryState::Meta meta_;  // as it was before
  std::vector<Undo> undo_;
};

void MemoryTransaction::put(RunId id, std::optional<RunRow> row) {
  undo_.push_back(Change<RunId, RunRow>{id, state_.replace_run(id, std::move(row))});
}

void MemoryTransaction::put(JobId id, std::optional<Job> job) {
  undo_.push_back(Change<JobId, Job>{id, state_.replace_job(id, std::move(job))});
}

void MemoryTransaction::put(MemoryState::AttemptKey key, std::optional<Attempt> attempt) {
  undo_.push_back(Change<MemoryState::AttemptKey, Attempt>{
      key, state_.replace_attempt(key, std::move(attempt))});
}

void MemoryTransaction::put(std::int64_t id, std::optional<MissRow> row) {
  undo_.push_back(Change<std::int64_t, MissRow>{id, state_.replace_miss(id, std::move(row))});
}

void MemoryTransaction::roll_back() {
  while (!undo_.empty()) {
    Undo last = std::move(undo_.back());
    undo_.pop_back();
    std::visit(
        [this](auto& change) {
          put(change.key, std::move(change.before));
          undo_.pop_back();
        },
        last);
  }
  state_.meta_ = meta_;
}

Job* MemoryTransaction::job_at(JobId id, std::int64_t revision) {
  auto found = state_.jobs_.find(id);
  if (found == state_.jobs_.end() || found->second.revision != revision) return nullptr;
  return &found->second;
}

void MemoryTransaction::count(JobId id, const Counters& counts) {
  if (counts == Counters{}) return;
  auto found = state_.jobs_.find(id);
  if (id.value == 0) {
    state_.meta_.timers += counts;
  } else if (found == state_.jobs_.end()) {
    state_.meta_.removed_jobs += counts;
  } else {
    Job job = found->second;
    job.counters += counts;
    put(id, std::move(job));
  }
}

Affected MemoryTransaction::apply(const PutJob& request) {
  Job next = request.job;
  if (request.expected_revision == 0) {
    if (state_.jobs_.contains(next.id) || state_.job_names_.contains({next.app, next.name})) {
      return job_exists_error();
    }
  } else {
    const Job* before = job_at(next.id, request.expected_revision);
    if (!before || before->app != next.app || before->name != next.name) {
      return job_changed_error(next.id);
    }
    next.counters = before->counters;
  }
  put(next.id, next);
  return 1;
}

Affected MemoryTransaction::apply(const RemoveJob& remove) {
  const Job* job = job_at(remove.id, remove.expected_revision);
  if (!job) return job_changed_error(remove.id);
  state_.meta_.removed_jobs += job->counters;
  put(remove.id, std::optional<Job>{});
  return 1;
}

Affected MemoryTransaction::apply(const AdvanceJob& advance) {
  const Job* job = job_at(advance.id, advance.expected_revision);
  if (!job || job->next_due != advance.from) return job_changed_error(advance.id);
  Job next = *job;
  next.next_due = advance.to;
  put(next.id, next);
  return 1;
}

Affected MemoryTransaction::apply(const InsertRun& insert) {
  const Run& run = insert.run;
  bool taken = state_.runs_.contains(run.id);
  if (!run.key.empty()) taken |= state_.keys_.contains({run.app, run.key});
  if (run.origin == RunOrigin::occurrence) {
    taken |= state_.occurrences_.contains({run.job_id, run.due});
  }
  if (run.origin == RunOrigin::trigger && !run.idempotency_key.empty()) {
    taken |= state_.triggers_.contains({run.job_id, run.idempotency_key});
  }
  if (taken) return run_exists_error();
  put(run.id, RunRow{run, !run.key.empty()});
  Counters counts = outcome_counts(run.state);
  counts.produced = 1;
  count(run.job_id, counts);
  return 1;
}

Affected MemoryTransaction::apply(const UpdateRun& update) {
  const Run& after = update.after;
  auto found = state_.runs_.find(after.id);
  if (found == state_.runs_.end()) return run_changed_error(after.id);
  RunRow row = found->second;
  Run& run = row.run;
  if (is_terminal(run.state) || run.revision != update.expected_revision ||
      run.job_id != after.job_id || run.origin != after.origin) {
    return run_changed_error(after.id);
  }
  run.next_attempt_at = after.next_attempt_at;
  run.elapsed_term = after.elapsed_term;
  run.revision = after.revision;
  run.state = after.state;
  run.attempt = after.attempt;
  run.tries = after.tries;
  run.finished_at = after.finished_at;
  run.reason = after.reason;
  if (run.origin == RunOrigin::timer) {
    run.due = after.due;
    run.idempotency_key = after.idempotency_key;
  }
  if (update.replace_spec) run.timer = after.timer;
  put(after.id, std::move(row));
  if (update.attempt) put({after.id, update.attempt->number}, update.attempt);
  count(after.job_id, outcome_counts(after.state));
  return 1;
}

Affected MemoryTransaction::apply(const ReleaseKey& release) {
  auto found = state_.runs_.find(release.id);
  if (found == state_.runs_.end() || !found->second.key_held) return 0;
  if (!is_terminal(found->second.run.state)) return key_of_live_run_error(release.id);
  RunRow row = found->second;
  row.key_held = false;
  put(release.id, std::move(row));
  return 1;
}

void MemoryTransaction::remove_run(RunId id) {
  auto at = state_.attempts_.lower_bound({id, INT64_MIN});
  while (at != state_.attempts_.end() && at->first.first == id) {
    auto key = at++->first;
    put(key, std::optional<Attempt>{});
  }
  put(id, std::optional<RunRow>{});
}

Affected MemoryTransaction::apply(const DropPlanned& drop) {
  std::vector<RunId> ids;
  for (auto at = state_.live_of_job_.lower_bound({drop.job, RunId{INT64_MIN}});
       at != state_.live_of_job_.end() && at->first == drop.job; ++at) {
    const Run& run = state_.runs_.at(at->second).run;
    const bool armed = run.attempt > 1 || run.next_attempt_at <= drop.after;
    if (run.origin == RunOrigin::occurrence && !armed) ids.push_back(run.id);
  }
  for (RunId id : ids) remove_run(id);
  auto affected = static_cast<std::int64_t>(ids.size());
  count(drop.job, Counters{.produced = -affected});
  return affected;
}

Affected MemoryTransaction::apply(const CancelPlanned& cancel) {
  std::set<RunId> except(cancel.except.begin(), cancel.except.end());
  std::vector<RunId> ids;
  for (auto at = state_.live_of_job_.lower_bound({cancel.job, RunId{INT64_MIN}});
       at != state_.live_of_job_.end() && at->first == cancel.job; ++at) {
    if (!except.contains(at->second)) ids.push_back(at->second);
  }
  for (RunId id : ids) {
    RunRow row = state_.runs_.at(id);
    row.run.state = RunState::cancelled;
    row.run.finished_at = cancel.at;
    row.run.reason = cancel.reason;
    ++row.run.revision;
    put(id, std::move(row));
  }
  auto affected = static_cast<std::int64_t>(ids.size());
  count(cancel.job, outcome_counts(RunState::cancelled, affected));
  return affected;
}

Affected MemoryTransaction::apply(const AddMiss& add) {
  put(state_.next_miss_++, MissRow{add.job, add.miss});
  count(add.job, Counters{.produced = add.miss.count, .skipped = add.miss.count});
  return 1;
}

Affected MemoryTransaction::apply(const SetArmed& set) {
  state_.meta_.armed = set.armed;
  return 1;
}

Affected MemoryTransaction::apply(const ShiftElapsed& shift) {
  std::vector<RunId> ids;
  for (const auto& [at, id] : state_.live_) {
    if (state_.runs_.at(id).run.elapsed_term == shift.elapsed_term) ids.push_back(id);
  }
  for (RunId id : ids) {
    RunRow row = state_.runs_.at(id);
    row.run.next_attempt_at = saturating_add(row.run.next_attempt_at, shift.delta);
    put(id, std::move(row));
  }
  return static_cast<std::int64_t>(ids.size());
}

std::int64_t MemoryTransaction::prune_runs(const Prune& prune) {
  std::int64_t pruned = 0;
  while (pruned < prune.limit && !state_.finished_.empty()) {
    auto [finished_at, id] = *state_.finished_.begin();
    if (finished_at >= prune.finished_before) break;
    remove_run(id);
    ++pruned;
  }
  return pruned;
}

std::int64_t MemoryTransaction::prune_misses(const Prune& prune, std::int64_t limit) {
  std::int64_t pruned = 0;
  while (pruned < limit && !state_.ended_misses_.empty()) {
    auto [to, id] = *state_.ended_misses_.begin();
    if (to >= prune.finished_before) break;
    put(id, std::optional<MissRow>{});
    ++pruned;
  }
  return pruned;
}

Affected MemoryTransaction::apply(const Prune& prune) {
  std::int64_t runs = prune_runs(prune);
  return runs + prune_misses(prune, prune.limit - runs);
}

Result<Written> MemoryState::apply(const Write& write) {
  if (write.term != meta_.term) return fenced_error(write.term, meta_.term);
  MemoryTransaction transaction(*this);
  Written written;
  for (const Mutation& mutation : write.mutations) {
    Status status = check_mutation(mutation);
    Affected affected =
        status.ok() ? std::visit([&](const auto& one) { return transaction.apply(one); }, mutation)
                    : Affected(status.error());
    if (!affected.ok()) {
      transaction.roll_back();
      return affected.error();
    }
    written.affected.push_back(*affected);
  }
  return written;
}

Result<Written> MemoryState::apply(Ticket ticket, const Write& write) {
  Result<Written> written = apply(write);
  if (written.ok()) last_ticket_ = std::max(last_ticket_, ticket);
  return written;
}

}  // namespace escapement::stores
