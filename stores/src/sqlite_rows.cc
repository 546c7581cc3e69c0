#include "sqlite_rows.h"

#include <array>

#include "escapement/domain/codec.h"

namespace escapement::stores {

using namespace engine;
using namespace domain;

namespace {

// A stored spec is at most the sum of its fields' limits, each escaped.
constexpr JsonLimits kSpecLimits{.bytes = 16 * 1024 * 1024, .depth = 32};

Error unreadable(const char* what, std::int64_t id, const Error& why) {
  return {ErrorCode::unavailable,
          std::string(what) + " " + std::to_string(id) + " cannot be read: " + why.message,
          {}};
}

template <typename Enum, std::size_t kCount>
Result<Enum> enum_from(const std::array<Enum, kCount>& all, std::string_view name) {
  for (Enum one : all) {
    if (to_string(one) == name) return one;
  }
  return invalid("", "unknown name " + std::string(name));
}

constexpr std::array kOrigins{RunOrigin::occurrence, RunOrigin::trigger, RunOrigin::timer};
constexpr std::array kAttemptStates{AttemptState::running, AttemptState::succeeded,
                                    AttemptState::failed, AttemptState::timed_out,
                                    AttemptState::unknown};

Result<std::shared_ptr<const TimerSpec>> timer_from(const std::string& text) {
  Result<Json> json = parse_json(text, kSpecLimits);
  if (!json.ok()) return json.error();
  Result<TimerSpec> spec = timer_spec_from_json(*json, "timer");
  if (!spec.ok()) return spec.error();
  return std::make_shared<const TimerSpec>(*std::move(spec));
}

Result<std::shared_ptr<const JobSpec>> spec_from(const std::string& text) {
  Result<Json> json = parse_json(text, kSpecLimits);
  if (!json.ok()) return json.error();
  Result<JobSpec> spec = job_spec_from_json(*json);
  if (!spec.ok()) return spec.error();
  return std::make_shared<const JobSpec>(*std::move(spec));
}

Counters counters_from(const Statement& row, int first) {
  return {row.number(first), row.number(first + 1), row.number(first + 2), row.number(first + 3),
          row.number(first + 4)};
}

std::optional<Instant> optional_instant(const Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.instant(column);
}

Status read_named(const Statement& row, Run& run) {
  Result<RunOrigin> origin = enum_from(kOrigins, row.text(2));
  if (!origin.ok()) return unreadable("run", run.id.value, origin.error());
  std::optional<RunState> state = run_state_from(row.text(10));
  if (!state) return unreadable("run", run.id.value, invalid("", "unknown state"));
  run.origin = *origin;
  run.state = *state;
  if (row.is_null(18)) return {};
  auto timer = timer_from(row.text(18));
  if (!timer.ok()) return unreadable("timer", run.id.value, timer.error());
  run.timer = *timer;
  return {};
}

Result<Attempt> read_attempt(const Statement& row) {
  Attempt attempt;
  attempt.number = row.number(0);
  attempt.term = row.number(1);
  Result<AttemptState> state = enum_from(kAttemptStates, row.text(2));
  if (!state.ok()) return unreadable("attempt", attempt.number, state.error());
  attempt.state = *state;
  attempt.started_at = row.instant(3);
  attempt.finished_at = optional_instant(row, 4);
  attempt.lateness = Duration{row.number(5)};
  attempt.status = row.number(6);
  attempt.error = row.text(7);
  attempt.output = row.text(8);
  return attempt;
}

Result<Job> read_job(const Statement& row) {
  Job job;
  job.id = JobId{row.number(0)};
  job.app = row.text(1);
  job.name = row.text(2);
  job.revision = row.number(3);
  auto spec = spec_from(row.text(4));
  if (!spec.ok()) return unreadable("job", job.id.value, spec.error());
  job.spec = *spec;
  job.next_due = row.instant(5);
  job.anchor = row.instant(6);
  job.created_at = row.instant(7);
  job.updated_at = row.instant(8);
  job.counters = counters_from(row, 9);
  return job;
}

// All rows of a statement through one reader.
template <typename Reader>
auto read_all(Statement& rows, Reader reader)
    -> Result<std::vector<std::decay_t<decltype(*reader(rows))>>> {
  std::vector<std::decay_t<decltype(*reader(rows))>> all;
  Step step = rows.step();
  for (; step == Step::row; step = rows.step()) {
    auto one = reader(rows);
    if (!one.ok()) {
      rows.reset();
      return one.error();
    }
    all.push_back(*std::move(one));
  }
  if (step == Step::failed) return rows.error();
  return all;
}

}  // namespace

Result<Run> read_run(const Statement& row) {
  Run run;
  run.id = RunId{row.number(0)};
  run.job_id = JobId{row.number(1)};
  run.app = row.text(3);
  run.job = row.text(4);
  run.key = row.text(5);
  run.due = row.instant(6);
  run.next_attempt_at = row.instant(7);
  run.elapsed_term = row.number(8);
  run.revision = row.number(9);
  run.attempt = row.number(11);
  run.tries = row.number(12);
  run.created_at = row.instant(13);
  run.finished_at = optional_instant(row, 14);
  run.reason = row.text(15);
  run.idempotency_key = row.text(16);
  if (!row.is_null(17)) run.payload = row.text(17);
  Status named = read_named(row, run);
  if (!named.ok()) return named.error();
  return run;
}

Status read_page(Statement& rows, std::size_t limit, RunPage& page) {
  Step step = rows.step();
  for (; step == Step::row; step = rows.step()) {
    if (page.runs.size() == limit) {
      page.more = true;
      rows.reset();
      return {};
    }
    Result<Run> run = read_run(rows);
    if (!run.ok()) {
      rows.reset();
      return run.error();
    }
    page.runs.push_back(*std::move(run));
  }
  if (step == Step::failed) return rows.error();
  return {};
}

Result<std::vector<Attempt>> read_attempts(Statement& rows) { return read_all(rows, read_attempt); }

Result<std::vector<Job>> read_jobs(Database& db) {
  Statement rows(db,
                 "SELECT id, app, name, revision, spec, next_due, anchor, created_at, updated_at, "
                 "produced, succeeded, failed, cancelled, skipped FROM jobs ORDER BY id");
  return read_all(rows, read_job);
}

Result<Meta> read_meta(Statement& select) {
  Meta meta;
  Step step = select.step();
  if (step == Step::failed) return select.error();
  if (step == Step::done) return meta;
  meta.store_name = select.text(0);
  meta.term = select.number(1);
  meta.last_ticket = static_cast<Ticket>(select.number(2));
  meta.armed = {select.instant(3), select.instant(4), select.instant(5), select.instant(6)};
  meta.timers = counters_from(select, 7);
  meta.removed_jobs = counters_from(select, 12);
  select.reset();
  return meta;
}

Status write_meta(Statement& write, const Meta& meta) {
  const Counters& timers = meta.timers;
  const Counters& removed = meta.removed_jobs;
  auto ticket = static_cast<std::int64_t>(meta.last_ticket);
  write.bind(meta.store_name, meta.term, ticket, meta.armed.backlog, meta.armed.from,
             meta.armed.until, meta.armed.written_at, timers.produced, timers.succeeded,
             timers.failed, timers.cancelled, timers.skipped, removed.produced, removed.succeeded,
             removed.failed, removed.cancelled, removed.skipped);
  Result<std::int64_t> written = write.execute();
  return written.ok() ? Status() : Status(written.error());
}

Result<Counters> read_job_counters(Database& db) {
  Statement sum(db,
                "SELECT coalesce(sum(produced), 0), coalesce(sum(succeeded), 0), "
                "coalesce(sum(failed), 0), coalesce(sum(cancelled), 0), "
                "coalesce(sum(skipped), 0) FROM jobs");
  if (sum.step() != Step::row) return sum.error();
  return counters_from(sum, 0);
}

}  // namespace escapement::stores
