#include "sqlite_mutations.h"

#include "escapement/domain/codec.h"
#include "write_rules.h"

namespace escapement::stores {

using namespace engine;
using namespace domain;

namespace {

constexpr const char* kInsertJob =
    "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kUpdateJob =
    "UPDATE jobs SET revision = ?, spec = ?, next_due = ?, anchor = ?, created_at = ?, "
    "updated_at = ? WHERE id = ? AND revision = ? AND app = ? AND name = ?";
constexpr const char* kJobCounters =
    "SELECT produced, succeeded, failed, cancelled, skipped FROM jobs WHERE id = ? AND revision = "
    "?";
constexpr const char* kAdvanceJob =
    "UPDATE jobs SET next_due = ? WHERE id = ? AND revision = ? AND next_due = ?";
constexpr const char* kCount =
    "UPDATE jobs SET produced = produced + ?, succeeded = succeeded + ?, failed = failed + ?, "
    "cancelled = cancelled + ?, skipped = skipped + ? WHERE id = ?";
constexpr const char* kInsertRun =
    "INSERT INTO runs (id, job_id, origin, app, job, key, key_held, due, next_attempt_at, "
    "elapsed_term, revision, state, attempt, tries, created_at, finished_at, reason, "
    "idempotency_key, payload, timer) "
    "VALUES (?, ?, ?, ?, ?, ?6, ?6 <> '', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kUpdateRun =
    "UPDATE runs SET next_attempt_at = ?, elapsed_term = ?, revision = ?, state = ?, attempt = ?, "
    "tries = ?, finished_at = ?, reason = ? "
    "WHERE id = ? AND revision = ? AND state = 'planned' AND job_id = ? AND origin = ?";
constexpr const char* kUpdateTimer =
    "UPDATE runs SET due = ?, idempotency_key = ?, timer = coalesce(?, timer) WHERE id = ?";
constexpr const char* kPutAttempt =
    "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
constexpr const char* kReleaseKey =
    "UPDATE runs SET key_held = 0 WHERE id = ? AND key_held = 1 AND state <> 'planned'";
constexpr const char* kDropPlanned =
    "DELETE FROM runs WHERE job_id = ? AND origin = 'occurrence' AND next_attempt_at > ? "
    "AND state = 'planned' AND attempt = 1";
constexpr const char* kCancelPlanned =
    "UPDATE runs SET state = 'cancelled', finished_at = ?, reason = ?, revision = revision + 1 "
    "WHERE job_id = ? AND job_id <> 0 AND state = 'planned' "
    "AND id NOT IN (SELECT value FROM json_each(?))";
constexpr const char* kAddMiss = "INSERT INTO misses VALUES (NULL, ?, ?, ?, ?, ?)";
// Clamped, so that "never" stays never and no sum leaves the range.
constexpr const char* kShiftLater =
    "UPDATE runs SET next_attempt_at = CASE WHEN next_attempt_at > 9223372036854775807 - ?1 "
    "THEN 9223372036854775807 ELSE next_attempt_at + ?1 END "
    "WHERE state = 'planned' AND elapsed_term = ?2";
constexpr const char* kShiftEarlier =
    "UPDATE runs SET next_attempt_at = CASE WHEN next_attempt_at < -9223372036854775808 - ?1 "
    "THEN -9223372036854775808 ELSE next_attempt_at + ?1 END "
    "WHERE state = 'planned' AND elapsed_term = ?2";
constexpr const char* kPruneRuns =
    "DELETE FROM runs WHERE id IN (SELECT id FROM runs WHERE finished_at < ? "
    "ORDER BY finished_at, id LIMIT ?)";
constexpr const char* kPruneMisses =
    "DELETE FROM misses WHERE id IN (SELECT id FROM misses WHERE to_due < ? "
    "ORDER BY to_due, id LIMIT ?)";

// A refusal by a constraint gets the port's own words.
Result<std::int64_t> refused_as(Result<std::int64_t> affected, Error refusal) {
  if (affected.ok() || affected.error().code != ErrorCode::conflict) return affected;
  return refusal;
}

// No row matched: the precondition in the WHERE clause did not hold.
Result<std::int64_t> one_or(Result<std::int64_t> affected, Error refusal) {
  if (affected.ok() && *affected == 0) return refusal;
  return affected;
}

std::optional<std::string> timer_text(const Run& run) {
  if (!run.timer) return std::nullopt;
  return dump_json(to_json(*run.timer));
}

}  // namespace

SqliteMutations::SqliteMutations(Database& db)
    : insert_job_(db, kInsertJob),
      update_job_(db, kUpdateJob),
      job_counters_(db, kJobCounters),
      delete_job_(db, "DELETE FROM jobs WHERE id = ?"),
      advance_job_(db, kAdvanceJob),
      count_(db, kCount),
      insert_run_(db, kInsertRun),
      update_run_(db, kUpdateRun),
      update_timer_(db, kUpdateTimer),
      put_attempt_(db, kPutAttempt),
      release_key_(db, kReleaseKey),
      holds_key_(db, "SELECT 1 FROM runs WHERE id = ? AND key_held = 1"),
      drop_planned_(db, kDropPlanned),
      cancel_planned_(db, kCancelPlanned),
      add_miss_(db, kAddMiss),
      shift_later_(db, kShiftLater),
      shift_earlier_(db, kShiftEarlier),
      prune_runs_(db, kPruneRuns),
      prune_misses_(db, kPruneMisses) {}

Result<Written> SqliteMutations::apply(const Write& write, Meta& meta) {
  if (write.term != meta.term) return fenced_error(write.term, meta.term);
  meta_ = &meta;
  Written written;
  for (const Mutation& mutation : write.mutations) {
    if (Status status = check_mutation(mutation); !status.ok()) return status.error();
    Affected affected = std::visit([this](const auto& one) { return apply(one); }, mutation);
    if (!affected.ok()) return affected.error();
    written.affected.push_back(*affected);
  }
  return written;
}

Status SqliteMutations::count(JobId job, const Counters& counts) {
  if (counts == Counters{}) return {};
  if (job.value == 0) {
    meta_->timers += counts;
    return {};
  }
  count_.bind(counts.produced, counts.succeeded, counts.failed, counts.cancelled, counts.skipped,
              job.value);
  Affected affected = count_.execute();
  if (!affected.ok()) return affected.error();
  if (*affected == 0) meta_->removed_jobs += counts;
  return {};
}

Result<std::int64_t> SqliteMutations::counted(JobId job, const Counters& counts,
                                              std::int64_t affected) {
  Status status = count(job, counts);
  if (!status.ok()) return status.error();
  return affected;
}

Result<std::int64_t> SqliteMutations::create_job(const Job& job) {
  const Counters& c = job.counters;
  std::string spec = dump_json(to_json(*job.spec));
  insert_job_.bind(job.id.value, job.app, job.name, job.revision, spec, job.next_due, job.anchor,
                   job.created_at, job.updated_at, c.produced, c.succeeded, c.failed, c.cancelled,
                   c.skipped);
  return refused_as(insert_job_.execute(), job_exists_error());
}

Result<std::int64_t> SqliteMutations::replace_job(const PutJob& put) {
  const Job& job = put.job;
  std::string spec = dump_json(to_json(*job.spec));
  update_job_.bind(job.revision, spec, job.next_due, job.anchor, job.created_at, job.updated_at,
                   job.id.value, put.expected_revision, job.app, job.name);
  return one_or(update_job_.execute(), job_changed_error(job.id));
}

Result<std::int64_t> SqliteMutations::apply(const PutJob& put) {
  return put.expected_revision == 0 ? create_job(put.job) : replace_job(put);
}

Result<std::int64_t> SqliteMutations::apply(const RemoveJob& remove) {
  Step step = job_counters_.bind(remove.id.value, remove.expected_revision).step();
  if (step == Step::failed) return job_counters_.error();
  if (step == Step::done) return job_changed_error(remove.id);
  meta_->removed_jobs +=
      Counters{job_counters_.number(0), job_counters_.number(1), job_counters_.number(2),
               job_counters_.number(3), job_counters_.number(4)};
  job_counters_.reset();
  return delete_job_.bind(remove.id.value).execute();
}

Result<std::int64_t> SqliteMutations::apply(const AdvanceJob& advance) {
  advance_job_.bind(advance.to, advance.id.value, advance.expected_revision, advance.from);
  return one_or(advance_job_.execute(), job_changed_error(advance.id));
}

Result<std::int64_t> SqliteMutations::apply(const InsertRun& insert) {
  const Run& run = insert.run;
  std::optional<std::string> timer = timer_text(run);
  std::optional<Blob> payload;
  if (run.payload) payload = Blob{*run.payload};
  insert_run_.bind(run.id.value, run.job_id.value, to_string(run.origin), run.app, run.job, run.key,
                   run.due, run.next_attempt_at, run.elapsed_term, run.revision,
                   to_string(run.state), run.attempt, run.tries, run.created_at, run.finished_at,
                   run.reason, run.idempotency_key, payload, timer);
  Affected affected = refused_as(insert_run_.execute(), run_exists_error());
  if (!affected.ok()) return affected;
  Counters counts = outcome_counts(run.state);
  counts.produced = 1;
  return counted(run.job_id, counts, 1);
}

Result<std::int64_t> SqliteMutations::update_row(const UpdateRun& update) {
  const Run& after = update.after;
  update_run_.bind(after.next_attempt_at, after.elapsed_term, after.revision,
                   to_string(after.state), after.attempt, after.tries, after.finished_at,
                   after.reason, after.id.value, update.expected_revision, after.job_id.value,
                   to_string(after.origin));
  Affected affected = one_or(update_run_.execute(), run_changed_error(after.id));
  if (!affected.ok() || after.origin != RunOrigin::timer) return affected;
  std::optional<std::string> timer;
  if (update.replace_spec) timer = timer_text(after);
  return update_timer_.bind(after.due, after.idempotency_key, timer, after.id.value).execute();
}

Result<std::int64_t> SqliteMutations::put_attempt(RunId run, const Attempt& attempt) {
  put_attempt_.bind(run.value, attempt.number, attempt.term, to_string(attempt.state),
                    attempt.started_at, attempt.finished_at, attempt.lateness.count(),
                    attempt.status, attempt.error, Blob{attempt.output});
  return put_attempt_.execute();
}

Result<std::int64_t> SqliteMutations::apply(const UpdateRun& update) {
  Affected affected = update_row(update);
  if (affected.ok() && update.attempt) affected = put_attempt(update.after.id, *update.attempt);
  if (!affected.ok()) return affected;
  return counted(update.after.job_id, outcome_counts(update.after.state), 1);
}

Result<std::int64_t> SqliteMutations::apply(const ReleaseKey& release) {
  Affected affected = release_key_.bind(release.id.value).execute();
  if (!affected.ok() || *affected == 1) return affected;
  Step step = holds_key_.bind(release.id.value).step();
  holds_key_.reset();
  if (step == Step::failed) return holds_key_.error();
  if (step == Step::row) return key_of_live_run_error(release.id);
  return 0;
}

Result<std::int64_t> SqliteMutations::apply(const DropPlanned& drop) {
  Affected affected = drop_planned_.bind(drop.job.value, drop.after).execute();
  if (!affected.ok()) return affected;
  return counted(drop.job, Counters{.produced = -*affected}, *affected);
}

Result<std::int64_t> SqliteMutations::apply(const CancelPlanned& cancel) {
  Json except = Json::array();
  for (RunId id : cancel.except) except.push_back(id.value);
  std::string except_text = dump_json(except);
  cancel_planned_.bind(cancel.at, cancel.reason, cancel.job.value, except_text);
  Affected affected = cancel_planned_.execute();
  if (!affected.ok()) return affected;
  return counted(cancel.job, outcome_counts(RunState::cancelled, *affected), *affected);
}

Result<std::int64_t> SqliteMutations::apply(const AddMiss& add) {
  const Miss& miss = add.miss;
  Affected affected =
      add_miss_.bind(add.job.value, miss.from, miss.to, miss.count, miss.reason).execute();
  if (!affected.ok()) return affected;
  return counted(add.job, Counters{.produced = miss.count, .skipped = miss.count}, 1);
}

Result<std::int64_t> SqliteMutations::apply(const SetArmed& set) {
  meta_->armed = set.armed;
  return 1;
}

Result<std::int64_t> SqliteMutations::apply(const ShiftElapsed& shift) {
  Statement& update = shift.delta < Duration::zero() ? shift_earlier_ : shift_later_;
  return update.bind(shift.delta.count(), shift.elapsed_term).execute();
}

Result<std::int64_t> SqliteMutations::apply(const Prune& prune) {
  Affected runs = prune_runs_.bind(prune.finished_before, prune.limit).execute();
  if (!runs.ok()) return runs;
  Affected misses = prune_misses_.bind(prune.finished_before, prune.limit - *runs).execute();
  if (!misses.ok()) return misses;
  return *runs + *misses;
}

}  // namespace escapement::stores
