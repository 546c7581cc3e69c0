#include "planner.h"

namespace escapement::engine {

namespace {

constexpr std::size_t kPlanChunk = 64;        // occurrences of one job in one write
constexpr std::size_t kMissesPerStep = 2000;  // calendar evaluations spent on misses in one visit

}  // namespace

Instant Planner::fire_at(const JobState& job, Instant due) const {
  if (due == kNever || !domain::is_elapsed(job.row.spec->schedule)) return due;
  return saturating_add(due, core_.time.offset() - job.reference_offset);
}

Instant Planner::due_of(const JobState& job, Instant fires_at) const {
  if (!domain::is_elapsed(job.row.spec->schedule)) return fires_at;
  return saturating_add(fires_at, job.reference_offset - core_.time.offset());
}

void Planner::enlist(const JobPtr& job) {
  withdraw(job);
  if (job->removed || !job->committed || job->row.next_due == kNever) return;
  const Instant at = fire_at(*job, job->row.next_due);
  listed_[job->row.id.value] = at;
  due_.insert({at, job->row.id.value});
}

void Planner::withdraw(const JobPtr& job) {
  auto found = listed_.find(job->row.id.value);
  if (found == listed_.end()) return;
  due_.erase({found->second, job->row.id.value});
  listed_.erase(found);
}

Instant Planner::plan_horizon() const {
  const Instant ahead = saturating_add(core_.time.now().wall, core_.options.look_ahead);
  return std::min(ahead, keeper_.horizon());
}

// Visited at half the look-ahead and planned up to the whole, so that a frequent job is written in
// stretches and not one by one.
Instant Planner::visit_horizon() const {
  const Instant half = saturating_add(core_.time.now().wall, core_.options.look_ahead / 2);
  return std::min(half, keeper_.horizon());
}

bool Planner::plan() {
  std::size_t budget = core_.options.plan_page;
  const Instant sight = visit_horizon();
  while (!due_.empty() && due_.begin()->first <= sight) {
    if (budget == 0) return true;
    if (!keeper_.has_room()) return false;
    JobPtr job = core_.jobs_by_id.at(due_.begin()->second);
    withdraw(job);
    if (job->busy) {
      // Whoever holds it enlists it again.
      continue;
    }
    Batch batch = make_batch(*job, due_of(*job, plan_horizon()));
    budget -= std::min(budget, batch.runs.size() + 1);
    write(job, std::move(batch));
  }
  return false;
}

Deadline Planner::next_wakeup() const {
  Deadline deadline;
  if (due_.empty() || !keeper_.has_room()) return deadline;
  if (due_.begin()->first > keeper_.horizon() && keeper_.is_loading()) return deadline;
  deadline.wall = saturating_add(due_.begin()->first, -core_.options.look_ahead / 2);
  return deadline;
}

void Planner::on_step(Duration delta) {
  const Instant now = core_.time.now().wall;
  due_.clear();
  listed_.clear();
  for (auto& [id, job] : core_.jobs_by_id) {
    if (delta > Duration::zero() && !domain::is_elapsed(job->row.spec->schedule)) {
      set_cut_base(*job, now);
    }
    if (!job->busy) enlist(job);
  }
}

// ---- occurrences ------------------------------------------------------------------------------

Instant Planner::first_due(const domain::JobSpec& spec, Instant anchor, Instant after) const {
  if (!spec.enabled) return kNever;
  if (const auto* cron = std::get_if<domain::CronSchedule>(&spec.schedule)) {
    return cron->cron.next(after).value_or(kNever);
  }
  if (const auto* every = std::get_if<domain::EverySchedule>(&spec.schedule)) {
    if (after < anchor) return anchor;
    return saturating_add(anchor, ((after - anchor) / every->period + 1) * every->period);
  }
  if (const auto* delay = std::get_if<domain::FixedDelaySchedule>(&spec.schedule)) {
    return saturating_add(after, delay->delay);
  }
  if (const auto* at = std::get_if<domain::AtSchedule>(&spec.schedule)) return at->at;
  return kNever;
}

// The occurrence after `due`; nothing for schedules that plan one at a time.
std::optional<Instant> Planner::following(const JobState& job, Instant due) const {
  const domain::Schedule& schedule = job.row.spec->schedule;
  if (const auto* cron = std::get_if<domain::CronSchedule>(&schedule)) return cron->cron.next(due);
  if (const auto* every = std::get_if<domain::EverySchedule>(&schedule)) {
    const Instant next = saturating_add(due, every->period);
    return next == kNever ? std::nullopt : std::optional(next);
  }
  return std::nullopt;
}

Run Planner::make_run(const JobState& job, Instant due) {
  Run run;
  run.id = core_.new_run_id();
  run.job_id = job.row.id;
  run.origin = domain::RunOrigin::occurrence;
  run.app = job.row.app;
  run.job = job.row.name;
  run.due = due;
  run.next_attempt_at = fire_at(job, due);
  run.elapsed_term = domain::is_elapsed(job.row.spec->schedule) ? core_.term : 0;
  run.created_at = core_.time.now().wall;
  return run;
}

Planner::Batch Planner::make_batch(JobState& job, Instant horizon) {
  Batch batch;
  batch.next = job.row.next_due;
  batch.offset = core_.time.offset();
  const bool caught_up = take_misses(job, batch);
  const std::size_t chunk = job.plan_chunk == 0 ? kPlanChunk : job.plan_chunk;
  while (caught_up && batch.next <= horizon && batch.next != kNever && batch.runs.size() < chunk) {
    batch.runs.push_back(make_run(job, batch.next));
    batch.next = following(job, batch.next).value_or(kNever);
  }
  if (batch.miss.count > 0) batch.mutations.push_back(AddMiss{job.row.id, batch.miss});
  for (const Run& run : batch.runs) batch.mutations.push_back(InsertRun{run});
  batch.mutations.push_back(AdvanceJob{job.row.id, job.row.revision, job.row.next_due, batch.next});
  return batch;
}

// Counts occurrences before the cut; `every` by arithmetic. False when more are left.
bool Planner::take_misses(JobState& job, Batch& batch) {
  const Instant limit = cut(job);
  if (batch.next >= limit) return true;
  batch.miss.from = batch.next;
  batch.miss.reason = "catch_up";
  const domain::Schedule& schedule = job.row.spec->schedule;
  if (const auto* every = std::get_if<domain::EverySchedule>(&schedule)) {
    const std::int64_t count = (limit - batch.next + every->period - Duration{1}) / every->period;
    batch.miss.count = count;
    batch.miss.to = batch.next + (count - 1) * every->period;
    batch.next = batch.next + count * every->period;
    return true;
  }
  if (const auto* delay = std::get_if<domain::FixedDelaySchedule>(&schedule)) {
    batch.miss.count = 1;
    batch.miss.to = batch.next;
    batch.next = saturating_add(std::max(limit, core_.time.now().wall), delay->delay);
    return true;
  }
  for (std::size_t i = 0; i < kMissesPerStep && batch.next < limit; ++i) {
    ++batch.miss.count;
    batch.miss.to = batch.next;
    batch.next = following(job, batch.next).value_or(kNever);
  }
  return batch.next >= limit;
}

// ---- catch-up ---------------------------------------------------------------------------------

void Planner::set_cut_base(JobState& job, Instant base) {
  job.cut_base = std::max(job.cut_base, base);
  job.cut.reset();
}

Instant Planner::cut(JobState& job) const {
  if (!job.cut) job.cut = compute_cut(job);
  return *job.cut;
}

Instant Planner::compute_cut(const JobState& job) const {
  const Instant base = job.cut_base;
  const domain::CatchUpPolicy& policy = job.row.spec->catch_up;
  if (base == Instant::min()) return base;
  if (policy.policy == domain::CatchUp::skip) return base;
  const std::int64_t keep = policy.policy == domain::CatchUp::latest ? 1 : policy.limit;
  const domain::Schedule& schedule = job.row.spec->schedule;
  Instant at = base + Duration{1};
  if (const auto* every = std::get_if<domain::EverySchedule>(&schedule)) {
    if (base < job.row.anchor) return Instant::min();
    const Instant latest = job.row.anchor + (base - job.row.anchor) / every->period * every->period;
    return saturating_add(latest,
                          -std::min(keep - 1, INT64_MAX / every->period.count()) * every->period);
  }
  const auto* cron = std::get_if<domain::CronSchedule>(&schedule);
  if (cron == nullptr) return Instant::min();
  for (std::int64_t i = 0; i < keep; ++i) {
    const std::optional<Instant> before = cron->cron.previous(at);
    if (!before) break;
    at = *before;
  }
  return at;
}

// ---- writing ----------------------------------------------------------------------------------

void Planner::write(const JobPtr& job, Batch batch) {
  job->busy = true;
  Mutations mutations = std::move(batch.mutations);
  core_.store.write_until_done(std::move(mutations), [this, job, batch = std::move(batch)](
                                                         const Result<Written>& result) mutable {
    on_written(job, batch, result);
  });
}

void Planner::on_written(const JobPtr& job, Batch& batch, const Result<Written>& result) {
  if (!result.ok()) {
    if (result.error().code == ErrorCode::conflict) return on_conflict(job, batch);
    return release(job);
  }
  const auto planned = static_cast<std::int64_t>(batch.runs.size());
  core_.count(job.get(), {.produced = planned + batch.miss.count, .skipped = batch.miss.count});
  job->row.next_due = batch.next;
  job->plan_chunk = 0;
  if (batch.miss.count > 0) core_.notice(Skipped{job->row.app, job->row.name, batch.miss});
  for (Run& run : batch.runs) {
    const bool elapsed = run.elapsed_term != 0;
    const Instant at = run.next_attempt_at;
    const Elapsed fires = elapsed ? Timeline::to_elapsed(at, batch.offset) : kNeverElapsed;
    keeper_.place_new(std::move(run), {fires, batch.offset});
  }
  release(job);
  if (!job->busy) enlist(job);
}

// An occurrence of this batch exists already (a backward step after an edit can do that): find it
// one by one, then step over it. Nothing fires twice.
void Planner::on_conflict(const JobPtr& job, Batch& batch) {
  if (batch.runs.size() == 1 && batch.miss.count == 0) {
    if (std::holds_alternative<domain::FixedDelaySchedule>(job->row.spec->schedule)) {
      // The chain hangs on this one occurrence: it moves on to a free instant.
      const Instant now = core_.time.now().wall;
      batch.next = saturating_add(std::max(now, batch.runs.front().due), Duration{1});
    }
    const AdvanceJob over{job->row.id, job->row.revision, job->row.next_due, batch.next};
    batch.runs.clear();
    batch.mutations = {over};
    return write(job, std::move(batch));
  }
  job->plan_chunk = 1;
  if (batch.runs.empty()) {
    core_.notice(StoreFailed{Error{ErrorCode::conflict, "the job's watermark moved", "next_due"}});
    return release(job);
  }
  release(job);
  if (!job->busy) enlist(job);
}

}  // namespace escapement::engine
