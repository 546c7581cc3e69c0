// The indexes of MemoryState and what is read from them; memory_transaction.cc changes it.

#include <algorithm>

#include "escapement/stores/memory_store.h"
#include "write_rules.h"

namespace escapement::stores {

using namespace engine;
using namespace domain;

namespace {

bool is_live(const Run& run) { return run.state == RunState::planned; }

// Erases the entry only when it is this row's: another row may hold the same key by now.
template <typename Map, typename Key, typename Id>
void erase_own(Map& map, const Key& key, Id id) {
  auto found = map.find(key);
  if (found != map.end() && found->second == id) map.erase(found);
}

// Puts `next` at `key`, or takes the entry out; answers what was there.
template <typename Map, typename Key, typename Value>
std::optional<Value> exchange(Map& map, const Key& key, std::optional<Value> next) {
  auto found = map.find(key);
  std::optional<Value> before;
  if (found != map.end()) before = std::move(found->second);
  if (!next && before) map.erase(found);
  if (next && before) found->second = *std::move(next);
  if (next && !before) map.emplace(key, *std::move(next));
  return before;
}

bool matches(const ListRuns& filter, const Run& run) {
  return (!filter.app || run.app == *filter.app) && (!filter.job || run.job == *filter.job) &&
         (!filter.key || run.key == *filter.key) && (!filter.state || run.state == *filter.state) &&
         (!filter.origin || run.origin == *filter.origin) &&
         (!filter.due_from || run.due >= *filter.due_from) &&
         (!filter.due_to || run.due < *filter.due_to);
}

}  // namespace

void MemoryState::index(const RunRow& row) {
  const Run& run = row.run;
  if (is_live(run)) {
    live_.emplace(run.next_attempt_at, run.id);
    if (run.job_id.value != 0) live_of_job_.emplace(run.job_id, run.id);
  }
  if (run.finished_at) finished_.emplace(*run.finished_at, run.id);
  if (row.key_held) keys_[{run.app, run.key}] = run.id;
  if (run.origin == RunOrigin::occurrence) occurrences_[{run.job_id, run.due}] = run.id;
  if (run.origin == RunOrigin::trigger && !run.idempotency_key.empty()) {
    triggers_[{run.job_id, run.idempotency_key}] = run.id;
  }
}

void MemoryState::unindex(const RunRow& row) {
  const Run& run = row.run;
  live_.erase({run.next_attempt_at, run.id});
  live_of_job_.erase({run.job_id, run.id});
  if (run.finished_at) finished_.erase({*run.finished_at, run.id});
  if (row.key_held) erase_own(keys_, Name{run.app, run.key}, run.id);
  if (run.origin == RunOrigin::occurrence) {
    erase_own(occurrences_, std::pair{run.job_id, run.due}, run.id);
  }
  if (run.origin == RunOrigin::trigger) {
    erase_own(triggers_, std::pair{run.job_id, run.idempotency_key}, run.id);
  }
}

std::optional<MemoryState::RunRow> MemoryState::replace_run(RunId id, std::optional<RunRow> row) {
  auto found = runs_.find(id);
  if (found != runs_.end()) unindex(found->second);
  if (row) index(*row);
  return exchange(runs_, id, std::move(row));
}

std::optional<Job> MemoryState::replace_job(JobId id, std::optional<Job> job) {
  auto found = jobs_.find(id);
  if (found != jobs_.end()) {
    erase_own(job_names_, Name{found->second.app, found->second.name}, id);
  }
  if (job) job_names_[{job->app, job->name}] = id;
  return exchange(jobs_, id, std::move(job));
}

std::optional<Attempt> MemoryState::replace_attempt(AttemptKey key,
                                                    std::optional<Attempt> attempt) {
  return exchange(attempts_, key, std::move(attempt));
}

std::optional<MemoryState::MissRow> MemoryState::replace_miss(std::int64_t id,
                                                              std::optional<MissRow> row) {
  auto found = misses_.find(id);
  if (found != misses_.end()) ended_misses_.erase({found->second.miss.to, id});
  if (row) ended_misses_.emplace(row->miss.to, id);
  return exchange(misses_, id, std::move(row));
}

RunPage MemoryState::load_due(const LoadDue& request) const {
  RunPage page;
  auto from = live_.lower_bound({request.from, RunId{INT64_MIN}});
  auto after = live_.upper_bound({request.cursor_at, request.cursor_id});
  bool cursor_is_later =
      At{request.cursor_at, request.cursor_id} >= At{request.from, RunId{INT64_MIN}};
  for (auto at = cursor_is_later ? after : from; at != live_.end(); ++at) {
    if (at->first > request.until) break;
    if (page.runs.size() == request.limit) {
      page.more = true;
      break;
    }
    page.runs.push_back(runs_.at(at->second).run);
  }
  return page;
}

Result<RunPage> MemoryState::find_timers(const FindTimers& request) const {
  if (Status status = check_timer_keys(request); !status.ok()) return status.error();
  RunPage page;
  for (const std::string& key : request.keys) {
    auto found = keys_.find({request.app, key});
    if (found != keys_.end()) page.runs.push_back(runs_.at(found->second).run);
  }
  return page;
}

RunPage MemoryState::find_run(RunId id) const {
  RunPage page;
  auto found = runs_.find(id);
  if (found != runs_.end()) page.runs.push_back(found->second.run);
  return page;
}

RunPage MemoryState::list_runs(const ListRuns& request) const {
  RunPage page;
  auto at = request.before ? std::make_reverse_iterator(runs_.lower_bound(*request.before))
                           : runs_.rbegin();
  for (; at != runs_.rend(); ++at) {
    if (!matches(request, at->second.run)) continue;
    if (page.runs.size() == request.limit) {
      page.more = true;
      break;
    }
    page.runs.push_back(at->second.run);
  }
  return page;
}

RunDetails MemoryState::get_run(RunId id) const {
  RunDetails details;
  auto found = runs_.find(id);
  if (found == runs_.end()) return details;
  details.run = found->second.run;
  for (auto at = attempts_.lower_bound({id, INT64_MIN});
       at != attempts_.end() && at->first.first == id; ++at) {
    details.attempts.push_back(at->second);
  }
  return details;
}

AuditReport MemoryState::audit() const {
  AuditReport report;
  for (const auto& [id, row] : runs_) report.live_rows += is_live(row.run) ? 1 : 0;
  report.counters = meta_.timers;
  report.counters += meta_.removed_jobs;
  for (const auto& [id, job] : jobs_) report.counters += job.counters;
  return report;
}

std::vector<std::pair<JobId, Miss>> MemoryState::misses() const {
  std::vector<std::pair<JobId, Miss>> all;
  for (const auto& [id, row] : misses_) all.emplace_back(row.job, row.miss);
  return all;
}

Recovered MemoryState::start(bool bump_term) {
  Recovered recovered;
  recovered.store_name = store_name_;
  recovered.previous_term = meta_.term;
  if (bump_term || meta_.term == 0) {
    ++meta_.term;
    last_ticket_ = 0;
  }
  recovered.term = meta_.term;
  recovered.armed = meta_.armed;
  for (const auto& [id, job] : jobs_) recovered.jobs.push_back(job);
  recovered.timers = meta_.timers;
  recovered.removed_jobs = meta_.removed_jobs;
  return recovered;
}

}  // namespace escapement::stores
