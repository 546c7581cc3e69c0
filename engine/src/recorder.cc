#include "recorder.h"

#include <algorithm>
#include <cmath>

namespace escapement::engine {

namespace {

constexpr std::int64_t kPruneLimit = 512;  // expired rows deleted beside a completion
constexpr Duration kPrunePause = std::chrono::seconds{1};

}  // namespace

domain::Counters outcome_of(RunState state) {
  domain::Counters counters;
  counters.succeeded = state == RunState::succeeded ? 1 : 0;
  counters.failed = state == RunState::failed ? 1 : 0;
  counters.cancelled = state == RunState::cancelled ? 1 : 0;
  counters.skipped = state == RunState::skipped ? 1 : 0;
  return counters;
}

std::uint64_t Recorder::next_random() {
  random_ += 0x9E3779B97F4A7C15ULL;  // splitmix64
  std::uint64_t value = random_;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

const domain::RetryPolicy& Recorder::retry_policy(const LiveRun& run) {
  return run.job ? run.job->row.spec->retry : run.row.timer->retry;
}

std::optional<Duration> Recorder::next_delay(const Run& row, const domain::RetryPolicy& retry,
                                             const AttemptResult& result, Instant now) {
  if (!result.retryable || row.tries >= retry.max_attempts) return std::nullopt;
  const double exponent = static_cast<double>(std::max<std::int64_t>(row.tries - 1, 0));
  const double grown =
      static_cast<double>(retry.initial.count()) * std::pow(retry.factor, exponent);
  const double capped = std::min(grown, static_cast<double>(retry.max.count()));
  const double unit = static_cast<double>(next_random() >> 11) / 9007199254740992.0;  // [0, 1)
  const double spread = capped * (1 + retry.jitter * (2 * unit - 1));
  Duration delay{static_cast<std::int64_t>(std::max(spread, 0.0))};
  if (result.retry_after) delay = std::max(delay, *result.retry_after);
  if (retry.max_age && saturating_add(now, delay) > saturating_add(row.due, *retry.max_age)) {
    return std::nullopt;
  }
  return delay;
}

bool Recorder::on_result(AttemptResult result) {
  LiveRun* run = keeper_.find(result.key.run);
  if (run == nullptr || run->phase != Phase::in_flight ||
      run->attempt.number != result.key.number) {
    ++core_.totals.metrics.stale_results;
    return false;
  }
  keeper_.disarm_timeout(*run);
  run->phase = Phase::recording;
  run->attempt.state = result.state;
  run->attempt.finished_at = core_.time.now().wall;
  run->attempt.status = result.status;
  run->attempt.error = result.error;
  run->attempt.output = result.output;
  Ending ending;
  ending.after = run->row;
  settle(*run, result, ending);
  ending.attempt = run->attempt;
  record(*run, std::move(ending));
  return true;
}

void Recorder::settle(LiveRun& run, const AttemptResult& result, Ending& ending) {
  MetricsReply& metrics = core_.totals.metrics;
  if (result.state == domain::AttemptState::succeeded) {
    ++metrics.attempts_succeeded;
    ++ending.after.tries;
    ending.after.state = RunState::succeeded;
    return;
  }
  if (run.aborted) {
    // A shutdown ended it, not the target: like an unknown attempt it uses up nothing.
    ++metrics.attempts_unknown;
    run.attempt.state = domain::AttemptState::unknown;
    run.attempt.error = "the server was shut down";
    const bool stop = run.job && run.job->row.spec->on_unknown == domain::OnUnknown::fail;
    ending.after.state = stop ? RunState::failed : RunState::planned;
    ending.after.reason = stop ? run.attempt.error : "";
    if (stop) return;
    ++ending.after.attempt;
    ending.after.elapsed_term = 0;
    ending.after.next_attempt_at = core_.time.now().wall;
    return;
  }
  ++metrics.attempts_failed;
  ++ending.after.tries;
  settle_failure(run, result, ending);
}

void Recorder::settle_failure(LiveRun& run, const AttemptResult& result, Ending& ending) {
  Run& after = ending.after;
  const bool gone = run.job && run.job->removed;
  const Now now = core_.time.now();
  std::optional<Duration> delay;
  if (!gone) delay = next_delay(after, retry_policy(run), result, now.wall);
  if (!delay) {
    after.state = RunState::failed;
    after.reason = gone ? "the job was deleted" : result.error;
    return;
  }
  ++after.attempt;
  after.elapsed_term = core_.term;
  ending.moment = {saturating_add(now.elapsed, *delay), core_.time.offset()};
  after.next_attempt_at = core_.time.to_stored(ending.moment.at, saturating_add(now.wall, *delay));
}

void Recorder::finish(LiveRun& run, RunState state, const std::string& reason) {
  run.phase = Phase::recording;
  Ending ending;
  ending.after = run.row;
  ending.after.state = state;
  ending.after.reason = reason;
  record(run, std::move(ending));
}

void Recorder::record(LiveRun& run, Ending ending) {
  ending.after.revision = run.row.revision + 1;
  if (domain::is_terminal(ending.after.state)) {
    ending.after.finished_at = core_.time.now().wall;
    ending.moment = Moment{};
    const bool fixed_delay =
        run.job && std::holds_alternative<domain::FixedDelaySchedule>(run.job->row.spec->schedule);
    if (fixed_delay && run.row.origin == domain::RunOrigin::occurrence) {
      // The job's next due is part of the same transaction, so it waits for the job to be free.
      return when_free(run.job, [this, id = run.row.id, ending]() mutable {
        LiveRun* live = keeper_.find(id);
        if (live == nullptr) return;
        chain_fixed_delay(*live, ending);
        write(id, std::move(ending));
      });
    }
  }
  write(run.row.id, std::move(ending));
}

void Recorder::chain_fixed_delay(LiveRun& run, Ending& ending) {
  JobState& job = *run.job;
  const auto* delay = std::get_if<domain::FixedDelaySchedule>(&job.row.spec->schedule);
  if (delay == nullptr || job.removed || !job.row.spec->enabled) return;
  if (job.row.next_due != kNever) return;
  for (RunId other : job.loaded) {
    if (other == run.row.id) continue;
    if (keeper_.find(other)->row.origin == domain::RunOrigin::occurrence) return;
  }
  job.busy = true;
  ending.chains = true;
  ending.next_due = saturating_add(core_.time.now().wall, delay->delay);
}

void Recorder::write(RunId id, Ending ending) {
  LiveRun& run = *keeper_.find(id);
  Mutations mutations;
  mutations.push_back(UpdateRun{ending.after, run.row.revision, ending.attempt, false});
  if (ending.chains) {
    const domain::Job& job = run.job->row;
    mutations.push_back(AdvanceJob{job.id, job.revision, kNever, ending.next_due});
  }
  const Instant now = core_.time.now().wall;
  if (now >= saturating_add(pruned_at_, kPrunePause) || now < pruned_at_) {
    pruned_at_ = now;
    mutations.push_back(Prune{saturating_add(now, -core_.options.retention), kPruneLimit});
  }
  core_.store.write_until_done(std::move(mutations), [this, id, ending = std::move(ending)](
                                                         const Result<Written>& result) mutable {
    on_recorded(id, ending, result);
  });
}

void Recorder::on_recorded(RunId id, Ending& ending, const Result<Written>& result) {
  LiveRun* run = keeper_.find(id);
  ESCAPEMENT_CHECK(run != nullptr && run->phase == Phase::recording);
  const JobPtr job = run->job;
  if (!result.ok()) {
    // The row changed under us: only a fenced or foreign writer can do that. Let the store decide.
    core_.notice(StoreFailed{result.error()});
    on_terminal_(*run);
    keeper_.forget(id);
    on_settled_(job);
  } else {
    run->row = ending.after;
    if (domain::is_terminal(run->row.state)) {
      on_ended(*run, ending);
    } else {
      run->late_at_load = false;
      keeper_.set_moment(*run, ending.moment);
      keeper_.place(*run);
      on_settled_(job);
    }
  }
  if (!ending.chains) return;
  if (result.ok()) {
    job->row.next_due = ending.next_due;
    job->reference_offset = core_.time.offset();
  }
  release(job);
  if (!job->busy) planner_.enlist(job);
}

void Recorder::on_ended(LiveRun& run, Ending& ending) {
  const bool counted = run.job && !run.job->removed;
  core_.count(counted ? run.job.get() : nullptr, outcome_of(run.row.state));
  core_.notice(RunFinished{run.row, ending.attempt.value_or(domain::Attempt{})});
  const JobPtr job = run.job;
  on_terminal_(run);
  keeper_.forget(run.row.id);
  on_settled_(job);
}

}  // namespace escapement::engine
