#include "write_rules.h"

namespace escapement::stores {

using namespace engine;
using domain::RunOrigin;
using domain::RunState;

namespace {

std::string text(std::int64_t number) { return std::to_string(number); }

Status check_run(const domain::Run& run) {
  bool terminal = is_terminal(run.state);
  if (!terminal && run.state != RunState::planned) {
    return invalid("run.state", std::string(to_string(run.state)) +
                                    " is not stored, only planned and terminal states");
  }
  if (terminal != run.finished_at.has_value()) {
    return invalid("run.finished_at", "must be set on terminal runs and only on them");
  }
  if ((run.origin == RunOrigin::timer) != (run.job_id.value == 0)) {
    return invalid("run.job_id", "must be 0 for a timer and only for a timer");
  }
  return {};
}

Status check(const PutJob& put) {
  if (put.job.id.value <= 0) return invalid("job.id", "must be above 0");
  if (!put.job.spec) return invalid("job.spec", "is missing");
  return {};
}

Status check(const InsertRun& insert) { return check_run(insert.run); }

Status check(const UpdateRun& update) {
  if (update.after.revision != update.expected_revision + 1) {
    return invalid("run.revision", "must be the expected revision + 1, not " +
                                       text(update.after.revision) + " after " +
                                       text(update.expected_revision));
  }
  if (update.replace_spec && (update.after.origin != RunOrigin::timer || !update.after.timer)) {
    return invalid("run.timer", "only a timer's own spec can be replaced");
  }
  return check_run(update.after);
}

Status check(const CancelPlanned& cancel) {
  if (cancel.job.value == 0) return invalid("job", "timers are not cancelled by job");
  return {};
}

Status check(const AddMiss& add) {
  if (add.job.value == 0) return invalid("job", "timers have no misses");
  if (add.miss.count < 0) return invalid("miss.count", "must not be negative");
  return {};
}

Status check(const ShiftElapsed& shift) {
  if (shift.elapsed_term == 0) {
    return invalid("elapsed_term", "0 stands for runs that follow the wall clock");
  }
  return {};
}

Status check(const Prune& prune) {
  if (prune.limit < 0) return invalid("limit", "must not be negative");
  return {};
}

template <typename T>
Status check(const T&) {
  return {};
}

}  // namespace

Status check_mutation(const Mutation& mutation) {
  return std::visit([](const auto& one) { return check(one); }, mutation);
}

Status check_timer_keys(const FindTimers& request) {
  if (request.keys.size() > domain::kMaxTimersPerBatch) {
    return invalid("keys", text(static_cast<std::int64_t>(request.keys.size())) +
                               " keys, at most " + std::to_string(domain::kMaxTimersPerBatch));
  }
  return {};
}

Error fenced_error(domain::Term given, domain::Term current) {
  return {ErrorCode::fenced,
          "the write is of term " + text(given) + ", the store is at " + text(current),
          {}};
}

Error job_exists_error() {
  return {ErrorCode::conflict, "a job with this name or id exists already", {}};
}

Error job_changed_error(domain::JobId id) {
  return {ErrorCode::conflict, "job " + text(id.value) + " is gone or was changed", {}};
}

Error run_exists_error() {
  return {
      ErrorCode::conflict, "a run with this id, key, due or idempotency key exists already", {}};
}

Error run_changed_error(domain::RunId id) {
  return {ErrorCode::conflict, "run " + text(id.value) + " is gone, terminal or was changed", {}};
}

Error key_of_live_run_error(domain::RunId id) {
  return {ErrorCode::conflict, "run " + text(id.value) + " is live and keeps its key", {}};
}

domain::Counters outcome_counts(RunState state, std::int64_t runs) {
  domain::Counters counts;
  if (state == RunState::succeeded) counts.succeeded = runs;
  if (state == RunState::failed) counts.failed = runs;
  if (state == RunState::cancelled) counts.cancelled = runs;
  if (state == RunState::skipped) counts.skipped = runs;
  return counts;
}

}  // namespace escapement::stores
