#include "desk.h"

namespace escapement::simulation {

using namespace engine;

Desk::Desk(EngineOptions options) : options_(options) { restart(); }

void Desk::restart(Duration down) {
  now_.wall += down;
  now_.elapsed += down;
  engine_ = std::make_unique<Engine>(options_, stores::open(disk_), now_);
  settle({});
}

void Desk::run_for(Duration span) {
  const Elapsed end = now_.elapsed + span;
  while (true) {
    settle({});
    const Deadline wake = engine_->next_wakeup();
    Duration wait = std::min(wake.wall == kNever ? span : wake.wall - now_.wall,
                             wake.elapsed == kNeverElapsed ? span : wake.elapsed - now_.elapsed);
    wait = std::max(wait, Duration::zero());
    if (now_.elapsed + wait > end) break;
    now_.wall += wait;
    now_.elapsed += wait;
  }
  now_.wall += end - now_.elapsed;
  now_.elapsed = end;
  settle({});
}

void Desk::deliver(std::vector<Event> events) { settle(std::move(events)); }

void Desk::settle(std::vector<Event> events) {
  bool first = true;
  while (first || !events.empty()) {
    first = false;
    std::vector<Event> next;
    for (Action& action : engine_->step(now_, std::exchange(events, {}))) {
      carry_out(std::move(action), next);
    }
    events = std::move(next);
  }
  engine_->check_invariants();
}

void Desk::carry_out(Action action, std::vector<Event>& events) {
  if (auto* request = std::get_if<StoreAction>(&action)) {
    if (refuse_writes && std::holds_alternative<Write>(request->request)) {
      events.push_back(StoreAnswer{request->ticket, *refuse_writes});
    } else {
      events.push_back(stores::execute(disk_, request->ticket, request->request));
    }
  } else if (auto* dispatch = std::get_if<Dispatch>(&action)) {
    dispatches.push_back(*dispatch);
    dispatched_at.push_back(now_);
    if (!answer) return;
    if (auto result = answer(*dispatch)) events.push_back(*result);
  } else if (auto* abort = std::get_if<AbortAction>(&action)) {
    aborted.push_back(abort->key);
  } else if (auto* reply = std::get_if<Reply>(&action)) {
    replies_.push_back(std::move(*reply));
  } else {
    notices.push_back(std::get<Notice>(action));
  }
}

Reply Desk::ask(CommandBody body) {
  replies_.clear();
  deliver({Command{++last_number_, std::move(body)}});
  ESCAPEMENT_CHECK(replies_.size() == 1 && replies_[0].number == last_number_);
  return replies_[0];
}

Reply Desk::put_job(const std::string& name, const std::string& json) {
  auto spec = domain::job_spec_from_json(*parse_json(json));
  if (!spec.ok()) return Reply{0, spec.error(), std::nullopt};
  return ask(UpsertJob{{"app", name}, std::make_shared<const domain::JobSpec>(*spec)});
}

Reply Desk::put_timer(const std::string& key, const std::string& json) {
  auto timer = domain::timer_request_from_json(*parse_json(json), "");
  if (!timer.ok()) return Reply{0, timer.error(), std::nullopt};
  timer->key = key;
  return ask(PutTimers{"app", {*timer}, ""});
}

Reply Desk::cancel(const std::string& key) { return ask(CancelTimer{"app", key}); }

void Desk::finish(const Dispatch& dispatch, domain::AttemptState state) {
  AttemptResult result;
  result.key = dispatch.key;
  result.state = state;
  if (state != domain::AttemptState::succeeded) result.error = "it failed";
  deliver({result});
}

domain::Job Desk::job(const std::string& name) const {
  for (const auto& [id, job] : disk_.jobs()) {
    if (job.name == name) return job;
  }
  ESCAPEMENT_CHECK(false);
}

std::vector<domain::Run> Desk::runs() const {
  ListRuns all;
  all.limit = 1'000'000;
  std::vector<domain::Run> runs = disk_.list_runs(all).runs;
  std::reverse(runs.begin(), runs.end());
  return runs;
}

std::vector<domain::Run> Desk::runs(domain::RunState state) const {
  std::vector<domain::Run> found;
  for (domain::Run& run : runs()) {
    if (run.state == state) found.push_back(std::move(run));
  }
  return found;
}

std::int64_t Desk::missed() const {
  std::int64_t count = 0;
  for (const auto& [job, miss] : disk_.misses()) count += miss.count;
  return count;
}

}  // namespace escapement::simulation
