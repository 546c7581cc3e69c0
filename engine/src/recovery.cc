#include "recovery.h"

#include "recorder.h"

namespace escapement::engine {

Recovery::Recovery(Core& core, Keeper& keeper, Planner& planner, const Recovered& recovered)
    : core_(core),
      keeper_(keeper),
      planner_(planner),
      previous_term_(recovered.previous_term),
      started_at_(core.time.now().wall) {
  const Armed& armed = recovered.armed;
  // An elapsed run may have left a little before its stored instant; and when the clock is behind
  // the last arming it was stepped back meanwhile, so every armed run may have been handed over.
  Instant limit = saturating_add(started_at_, kStepThreshold);
  if (started_at_ < armed.written_at) limit = armed.until;
  if (armed.backlog > Instant::min()) ranges_.push_back({Instant::min(), armed.backlog});
  if (armed.from <= std::min(armed.until, limit)) {
    ranges_.push_back({armed.from, std::min(armed.until, limit)});
  }
}

void Recovery::proceed() {
  if (core_.recovered || reading_ || unsettled_ > 0) return;
  if (core_.time.now().elapsed < retry_at_ && retry_at_ != kNeverElapsed) return;
  retry_at_ = kNeverElapsed;
  if (ranges_.empty()) return end();
  load_page();
}

void Recovery::load_page() {
  LoadDue request;
  request.from = ranges_.back().from;
  request.until = ranges_.back().until;
  request.cursor_at = cursor_at_;
  request.cursor_id = cursor_id_;
  request.limit = core_.options.load_page;
  reading_ = true;
  core_.store.read(request, [this](Result<StoreValue> result) { on_page(std::move(result)); });
}

void Recovery::on_page(Result<StoreValue> result) {
  reading_ = false;
  if (!result.ok()) {
    retry_at_ = core_.time.now().elapsed + kStoreRetry;
    return;
  }
  const RunPage& page = std::get<RunPage>(*result);
  for (const Run& row : page.runs) {
    cursor_at_ = row.next_attempt_at;
    cursor_id_ = row.id;
    settle(row);
  }
  if (page.more) return;
  ranges_.pop_back();
  cursor_at_ = Instant::min();
  cursor_id_ = RunId{};
}

void Recovery::settle(const Run& row) {
  domain::Attempt attempt;
  attempt.number = row.attempt;
  attempt.term = previous_term_;
  attempt.state = domain::AttemptState::unknown;
  attempt.started_at = row.next_attempt_at;
  attempt.finished_at = started_at_;
  attempt.error = "the server stopped before a result was recorded";
  Run after = row;
  ++after.revision;
  auto job = core_.jobs_by_id.find(row.job_id.value);
  const bool orphan = row.job_id.value != 0 && job == core_.jobs_by_id.end();
  const bool stop = orphan || (job != core_.jobs_by_id.end() &&
                               job->second->row.spec->on_unknown == domain::OnUnknown::fail);
  if (stop) {
    after.state = RunState::failed;
    after.finished_at = started_at_;
    after.reason = orphan ? "the job was deleted" : attempt.error;
  } else {
    ++after.attempt;
    after.elapsed_term = 0;
    after.next_attempt_at = std::max(row.next_attempt_at, started_at_);
  }
  ++unsettled_;
  ++unknown_;
  ++core_.totals.metrics.attempts_unknown;
  Mutations mutations{UpdateRun{after, row.revision, attempt, false}};
  const Instant next_due = stop && !orphan ? next_of_chain(after) : kNever;
  if (next_due != kNever) {
    const domain::Job& chained = job->second->row;
    mutations.push_back(AdvanceJob{chained.id, chained.revision, kNever, next_due});
  }
  core_.store.write_until_done(
      std::move(mutations),
      [this, after, next_due](const Result<Written>& w) { on_settled(after, next_due, w); });
}

// A fixed_delay job goes on after a run that ended here.
Instant Recovery::next_of_chain(const Run& ended) const {
  const domain::Job& job = core_.jobs_by_id.at(ended.job_id.value)->row;
  const auto* delay = std::get_if<domain::FixedDelaySchedule>(&job.spec->schedule);
  const bool chains = delay != nullptr && job.spec->enabled && job.next_due == kNever &&
                      ended.origin == domain::RunOrigin::occurrence;
  return chains ? saturating_add(started_at_, delay->delay) : kNever;
}

void Recovery::on_settled(const Run& after, Instant next_due, const Result<Written>& result) {
  --unsettled_;
  if (!result.ok()) return core_.notice(StoreFailed{result.error()});
  if (!domain::is_terminal(after.state)) return;
  auto job = core_.jobs_by_id.find(after.job_id.value);
  const bool gone = job == core_.jobs_by_id.end();
  if (!gone && next_due != kNever) job->second->row.next_due = next_due;
  core_.count(gone ? nullptr : job->second.get(), outcome_of(after.state));
}

void Recovery::end() {
  core_.recovered = true;
  for (auto& [id, job] : core_.jobs_by_id) planner_.enlist(job);
  keeper_.start_loading();
}

}  // namespace escapement::engine
