#include "dispatcher.h"

namespace escapement::engine {

Dispatcher::Dispatcher(Core& core, Keeper& keeper, Planner& planner, Recorder& recorder)
    : core_(core), keeper_(keeper), planner_(planner), recorder_(recorder) {
  recorder_.set_on_terminal([](LiveRun& run) {
    if (run.job) run.job->active.erase(run.row.id);
  });
  recorder_.set_on_settled([this](const JobPtr& job) {
    if (job) wake_waiting(*job);
  });
}

void Dispatcher::on_due(LiveRun& run) {
  run.phase = Phase::ready;
  (run.backlog ? backlog_ : on_time_).push_back(run.row.id);
}

// The first run of a lane that still waits there; a cancelled or moved one has left.
LiveRun* Dispatcher::front(std::deque<RunId>& lane) {
  while (!lane.empty()) {
    LiveRun* run = keeper_.find(lane.front());
    const bool waits = run != nullptr && run->phase == Phase::ready;
    const Duration early = core_.options.guards.round_up ? Duration::zero() : kTick;
    if (waits && !run->elapsed() && run->row.next_attempt_at - early > core_.time.now().wall) {
      // The clock was stepped back since it was due: it is not due any more.
      run->phase = Phase::held;
      keeper_.place(*run);
    } else if (waits) {
      // After a clock step the stored instants move first.
      if (run->elapsed() && core_.store.has_barrier()) return nullptr;
      if (keeper_.is_armed(run->row.next_attempt_at)) return run;
      keeper_.request_arm(*run);
      return nullptr;
    }
    lane.pop_front();
  }
  return nullptr;
}

LiveRun* Dispatcher::pick() {
  const auto share = static_cast<std::uint64_t>(1 / std::max(core_.options.backlog_share, 0.01));
  LiveRun* on_time = front(on_time_);
  LiveRun* overdue = front(backlog_);
  const bool take_overdue = overdue != nullptr && (on_time == nullptr || ++picks_ % share == 0);
  if (take_overdue) {
    backlog_.pop_front();
    return overdue;
  }
  if (on_time != nullptr) on_time_.pop_front();
  return on_time;
}

void Dispatcher::dispatch() {
  if (core_.draining || !core_.recovered) return;
  while (in_flight_ < core_.options.max_in_flight) {
    LiveRun* run = pick();
    if (run == nullptr) return;
    dispatch_run(*run);
  }
}

void Dispatcher::dispatch_run(LiveRun& run) {
  if (run.row.job_id.value != 0 && (!run.job || run.job->removed)) {
    return recorder_.finish(run, RunState::failed, "the job was deleted");
  }
  if (is_missed(run)) return recorder_.finish(run, RunState::skipped, "catch_up");
  if (admit(run)) hand_over(run);
}

bool Dispatcher::is_missed(LiveRun& run) {
  return run.job && run.row.origin == domain::RunOrigin::occurrence && run.row.attempt == 1 &&
         run.row.due <= run.job->cut_base && run.row.due < planner_.cut(*run.job);
}

// Whether the overlap policy lets the run start now. A run that has begun (its next attempt) waits
// only for another's attempt; a new one for every run of the job that has begun and not ended.
bool Dispatcher::may_start(const LiveRun& run) const {
  const JobState& job = *run.job;
  if (job.row.spec->overlap.policy == domain::Overlap::allow) return true;
  for (RunId id : job.active) {
    if (id == run.row.id) continue;
    const LiveRun* other = keeper_.find(id);
    const bool busy =
        other != nullptr && (other->phase == Phase::in_flight || other->phase == Phase::recording);
    if (busy || run.row.attempt == 1) return false;
  }
  return true;
}

// False when the run waits or was skipped.
bool Dispatcher::admit(LiveRun& run) {
  if (!run.job || may_start(run)) return true;
  JobState& job = *run.job;
  const domain::OverlapPolicy& overlap = job.row.spec->overlap;
  const bool full = job.waiting.size() >= static_cast<std::size_t>(overlap.limit);
  const bool begun = run.row.attempt > 1;
  if (!begun && (overlap.policy == domain::Overlap::skip || full)) {
    const bool queue = overlap.policy == domain::Overlap::queue;
    recorder_.finish(run, RunState::skipped, queue ? "overlap_queue_full" : "overlap");
    return false;
  }
  run.phase = Phase::waiting;
  job.waiting.push_back(run.row.id);
  return false;
}

void Dispatcher::wake_waiting(JobState& job) {
  for (auto at = job.waiting.begin(); at != job.waiting.end();) {
    LiveRun* next = keeper_.find(*at);
    if (next == nullptr || next->phase != Phase::waiting) {
      at = job.waiting.erase(at);
    } else if (may_start(*next)) {
      job.waiting.erase(at);
      return on_due(*next);
    } else {
      ++at;
    }
  }
}

void Dispatcher::hand_over(LiveRun& run) {
  const Now now = core_.time.now();
  const Duration lateness =
      run.elapsed() ? now.elapsed - run.elapsed_at : now.wall - run.row.next_attempt_at;
  ESCAPEMENT_CHECK(lateness >= Duration::zero() || !core_.options.guards.round_up);
  ++in_flight_;
  run.phase = Phase::in_flight;
  run.aborted = false;
  run.attempt = domain::Attempt{};
  run.attempt.number = run.row.attempt;
  run.attempt.term = core_.term;
  run.attempt.started_at = now.wall;
  run.attempt.lateness = lateness;
  if (run.job) run.job->active.insert(run.row.id);
  ++core_.totals.metrics.dispatched;
  if (!run.backlog) core_.totals.metrics.lateness.add(lateness);
  Dispatch dispatch = make_dispatch(run);
  keeper_.arm_timeout(run, dispatch.timeout);
  core_.out.push_back(std::move(dispatch));
}

Dispatch Dispatcher::make_dispatch(const LiveRun& run) const {
  Dispatch dispatch;
  dispatch.key = {run.row.id, run.attempt.number};
  dispatch.term = core_.term;
  dispatch.run_id = domain::format_run_id(core_.store_name, run.row.id);
  dispatch.app = run.row.app;
  dispatch.due = run.row.due;
  dispatch.payload = run.row.payload;
  if (run.job) {
    const auto spec = run.job->row.spec;
    dispatch.name = run.job->row.name;
    dispatch.timeout = spec->timeout;
    dispatch.target = std::shared_ptr<const domain::Target>(spec, &spec->target);
  } else {
    dispatch.name = run.row.key;
    dispatch.timeout = run.row.timer->timeout;
    dispatch.target = std::shared_ptr<const domain::Target>(run.row.timer, &run.row.timer->target);
  }
  return dispatch;
}

void Dispatcher::on_timeout(RunId id, std::int64_t attempt) {
  LiveRun* run = keeper_.find(id);
  if (run == nullptr || run->phase != Phase::in_flight || run->attempt.number != attempt) return;
  core_.out.push_back(AbortAction{{id, attempt}});
}

void Dispatcher::abort_all() {
  for (const auto& [id, run] : keeper_.runs()) {
    if (run.phase != Phase::in_flight || run.aborted) continue;
    keeper_.find(id)->aborted = true;
    core_.out.push_back(AbortAction{{id, run.attempt.number}});
  }
}

}  // namespace escapement::engine
