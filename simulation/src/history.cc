#include "history.h"

#include <algorithm>

namespace escapement::simulation {
namespace {

template <typename... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <typename... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

void add_outcome(domain::Counters& counters, domain::RunState state) {
  if (state == domain::RunState::succeeded) ++counters.succeeded;
  if (state == domain::RunState::failed) ++counters.failed;
  if (state == domain::RunState::cancelled) ++counters.cancelled;
  if (state == domain::RunState::skipped) ++counters.skipped;
}

}  // namespace

bool RunRecord::was_fired(std::int64_t number) const {
  return std::any_of(fired.begin(), fired.end(),
                     [number](const Fired& one) { return one.number == number; });
}

std::vector<RunChange> History::book(const engine::Write& write, const engine::Written& written) {
  touched_.clear();
  for (std::size_t i = 0; i < write.mutations.size(); ++i) {
    touch(write.mutations[i], written.affected[i], write.term);
  }
  std::vector<RunChange> changes;
  for (const domain::RunId id : touched_) read_back(id, write.term, changes);
  for (const RunChange& change : changes) count(change);
  return changes;
}

void History::touch(const engine::Mutation& mutation, std::int64_t affected, domain::Term term) {
  std::visit(Overloaded{
                 [&](const engine::PutJob& put) { book_job(put.job); },
                 [&](const engine::RemoveJob& remove) { jobs_.at(remove.id).removed = true; },
                 [&](const engine::AdvanceJob& advance) {
                   jobs_.at(advance.id).row.next_due = advance.to;
                 },
                 [&](const engine::InsertRun& insert) { touched_.insert(insert.run.id); },
                 [&](const engine::UpdateRun& update) { touched_.insert(update.after.id); },
                 [&](const engine::ReleaseKey& release) { touched_.insert(release.id); },
                 [&](const engine::DropPlanned& drop) {
                   if (affected > 0) touch_live(drop.job);
                 },
                 [&](const engine::CancelPlanned& cancel) {
                   if (affected > 0) touch_live(cancel.job);
                 },
                 [&](const engine::AddMiss& add) {
                   JobRecord& job = jobs_.at(add.job);
                   job.misses.push_back({add.miss, term});
                   job.counted.produced += add.miss.count;
                   job.counted.skipped += add.miss.count;
                 },
                 [&](const engine::SetArmed& set) { armed_ = set.armed; },
                 [&](const engine::ShiftElapsed&) { touched_.insert(live_.begin(), live_.end()); },
                 [&](const engine::Prune& prune) {
                   if (affected > 0) touch_expired(prune.finished_before);
                 },
             },
             mutation);
}

void History::book_job(const domain::Job& job) {
  const auto [entry, is_new] = jobs_.try_emplace(job.id);
  JobRecord& record = entry->second;
  if (is_new) record.first = job;
  if (!is_new) record.edited = true;
  record.row = job;
  record.ever_overlapped |= job.spec->overlap.policy == domain::Overlap::allow;
  record.most_attempts = std::max(record.most_attempts, job.spec->retry.max_attempts);
  names_[{job.app, job.name}] = job.id;
}

void History::touch_live(domain::JobId job) {
  for (const domain::RunId id : live_) {
    if (runs_.at(id).row.job_id == job) touched_.insert(id);
  }
}

void History::touch_expired(Instant finished_before) {
  for (const auto& [at, id] : finished_) {
    if (at >= finished_before) break;
    touched_.insert(id);
  }
}

void History::read_back(domain::RunId id, domain::Term term, std::vector<RunChange>& changes) {
  engine::RunPage page = disk_.find_run(id);
  const auto known = runs_.find(id);
  const bool is_new = known == runs_.end();
  if (is_new && page.runs.empty()) return;  // came and went inside one write
  RunRecord& record = is_new ? runs_[id] : known->second;
  RunChange change{is_new ? std::nullopt : std::optional{record.row}, record};
  if (is_new) record.inserted_in = term;
  if (page.runs.empty()) {
    record.presence = is_terminal(record.row.state) ? Presence::pruned : Presence::dropped;
  } else {
    record.row = std::move(page.runs.front());
    if (!record.row.key.empty()) timer_keys_.insert({record.row.app, record.row.key});
  }
  changes.push_back(std::move(change));
}

void History::count(const RunChange& change) {
  const domain::Run& row = change.record.row;
  domain::Counters& counters = counters_of(row.job_id);
  const auto job = jobs_.find(row.job_id);
  if (!change.before) {
    ++counters.produced;
    if (job != jobs_.end() && row.origin == domain::RunOrigin::occurrence) {
      job->second.occurrences.insert(row.id);
    }
  }
  if (change.record.presence == Presence::dropped) {
    --counters.produced;
    live_.erase(row.id);
    if (job != jobs_.end()) job->second.occurrences.erase(row.id);
  } else if (change.record.presence == Presence::pruned) {
    finished_.erase({*row.finished_at, row.id});
    timer_keys_.erase({row.app, row.key});
  } else if (!is_terminal(row.state)) {
    live_.insert(row.id);
  } else if (!change.before || !is_terminal(change.before->state)) {
    add_outcome(counters, row.state);
    live_.erase(row.id);
    finished_.insert({row.finished_at.value_or(Instant{}), row.id});
  }
}

domain::Counters& History::counters_of(domain::JobId job) {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? timers_ : found->second.counted;
}

const RunRecord* History::find(domain::RunId id) const {
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

RunRecord* History::find(domain::RunId id) {
  const auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

const JobRecord* History::job(domain::JobId id) const {
  const auto found = jobs_.find(id);
  return found == jobs_.end() ? nullptr : &found->second;
}

const JobRecord* History::job_named(const std::string& app, const std::string& name) const {
  const auto found = names_.find({app, name});
  return found == names_.end() ? nullptr : job(found->second);
}

bool History::has_timer(const std::string& app, const std::string& key) const {
  return timer_keys_.contains({app, key});
}

void History::on_fired(const engine::Dispatch& dispatch, Now now) {
  RunRecord* record = find(dispatch.key.run);
  if (record == nullptr) return;
  record->fired.push_back({dispatch.key.number, dispatch.term, now});
  record->in_flight = dispatch.key.number;
  flying_.insert(dispatch.key.run);
}

bool History::on_result(const engine::AttemptKey& key) {
  RunRecord* record = find(key.run);
  if (record == nullptr || record->in_flight != key.number) return false;
  record->in_flight.reset();
  flying_.erase(key.run);
  return true;
}

void History::on_death() {
  for (const domain::RunId id : flying_) runs_.at(id).in_flight.reset();
  flying_.clear();
}

}  // namespace escapement::simulation
