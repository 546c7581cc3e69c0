#include "escapement/engine/engine.h"

#include "dispatcher.h"
#include "job_commands.h"
#include "queries.h"
#include "recovery.h"
#include "timer_commands.h"

namespace escapement::engine {

void LatenessHistogram::add(Duration lateness) {
  std::size_t bucket = 0;
  while (bucket + 1 < kBuckets && lateness.count() > kBounds[bucket]) ++bucket;
  ++counts[bucket];
  ++count;
  sum_us += lateness.count();
  max_us = std::max(max_us, static_cast<std::int64_t>(lateness.count()));
}

class Engine::Impl {
 public:
  Impl(EngineOptions options, Recovered recovered, Now now)
      : core_(with_term(options, recovered.term), recovered, now),
        keeper_(core_),
        planner_(core_, keeper_),
        recorder_(core_, keeper_, planner_),
        dispatcher_(core_, keeper_, planner_, recorder_),
        recovery_(core_, keeper_, planner_, recovered),
        jobs_(core_, keeper_, planner_),
        timers_(core_, keeper_),
        queries_(core_, keeper_, dispatcher_) {
    core_.totals.counters = recovered.timers;
    core_.totals.counters += recovered.removed_jobs;
    for (domain::Job& row : recovered.jobs) take_job(std::move(row), now);
  }

  // What queues behind a job holds the job: let go of it.
  ~Impl() {
    for (auto& [id, job] : core_.jobs_by_id) job->queue.clear();
  }

  std::vector<Action> step(Now now, std::vector<Event> events) {
    core_.out.clear();
    if (auto delta = core_.time.advance(now)) on_step(*delta);
    more_ = false;
    for (Event& event : events) {
      std::visit([this](auto& it) { handle(it); }, event);
    }
    if (core_.store.fenced()) return take_out();
    core_.store.retry_due(now.elapsed);
    if (!core_.recovered) recovery_.proceed();
    if (core_.recovered) work();
    return take_out();
  }

  Deadline next_wakeup() const {
    const Now now = core_.time.now();
    if (more_) return {now.wall, now.elapsed};
    Deadline deadline;
    if (core_.recovered) {
      deadline = keeper_.next_wakeup();
      if (!core_.draining) {
        deadline.wall = std::min(deadline.wall, planner_.next_wakeup().wall);
      }
    } else {
      deadline.elapsed = recovery_.next_retry();
    }
    deadline.elapsed = std::min(deadline.elapsed, core_.store.next_retry());
    return {std::max(deadline.wall, now.wall), std::max(deadline.elapsed, now.elapsed)};
  }

  bool idle() const { return dispatcher_.in_flight() == 0 && core_.store.idle(); }
  bool ready() const {
    return core_.recovered && keeper_.loaded_once() && core_.store.healthy() && !core_.draining &&
           !core_.store.fenced();
  }

  void check_invariants() const {
    keeper_.check_invariants();
    std::size_t in_flight = 0;
    for (const auto& [id, run] : keeper_.runs()) {
      if (run.phase == Phase::in_flight) ++in_flight;
      if (run.job) ESCAPEMENT_CHECK(run.job->loaded.contains(id));
    }
    ESCAPEMENT_CHECK(in_flight == dispatcher_.in_flight());
    ESCAPEMENT_CHECK(in_flight <= core_.options.max_in_flight);
  }

 private:
  static EngineOptions with_term(EngineOptions options, domain::Term term) {
    options.seed += static_cast<std::uint64_t>(term) * 0x9E3779B97F4A7C15ULL;
    return options;
  }

  void take_job(domain::Job row, Now now) {
    auto job = std::make_shared<JobState>();
    job->row = std::move(row);
    job->committed = true;
    job->reference_offset = core_.time.offset();
    Planner::set_cut_base(*job, now.wall);
    if (!core_.options.guards.watermark && job->row.next_due != kNever) {
      job->row.next_due = planner_.first_due(*job->row.spec, job->row.anchor, now.wall);
    }
    core_.totals.counters += job->row.counters;
    core_.jobs[{job->row.app, job->row.name}] = job;
    core_.jobs_by_id[job->row.id.value] = job;
  }

  void on_step(Duration delta) {
    ++core_.totals.metrics.clock_steps;
    core_.notice(ClockStepped{delta});
    keeper_.on_step(delta);
    planner_.on_step(delta);
  }

  void work() {
    keeper_.tend();
    more_ = keeper_.expire(
        [this](LiveRun& run) { dispatcher_.on_due(run); },
        [this](RunId id, std::int64_t attempt) { dispatcher_.on_timeout(id, attempt); });
    if (!core_.draining) more_ = planner_.plan() || more_;
    dispatcher_.dispatch();
    if (ready()) queries_.audit();
    announce();
    if (keeper_.loaded_once()) run_deferred();
  }

  void announce() {
    if (announced_ || !keeper_.loaded_once()) return;
    announced_ = true;
    core_.notice(CaughtUp{recovery_.unknown_attempts(), keeper_.overdue_loaded()});
  }

  void run_deferred() {
    std::vector<Command> commands = std::move(deferred_);
    deferred_.clear();
    for (Command& command : commands) handle(command);
    if (!commands.empty()) more_ = true;
  }

  std::vector<Action> take_out() {
    std::vector<Action> out = std::move(core_.out);
    core_.out.clear();
    return out;
  }

  // ---- events -----------------------------------------------------------------------------------

  void handle(StoreAnswer& answer) {
    core_.store.on_answer(std::move(answer), core_.time.now().elapsed);
  }
  void handle(AttemptResult& result) {
    if (recorder_.on_result(std::move(result))) dispatcher_.on_attempt_over();
  }
  void handle(Drain& drain) {
    core_.draining = true;
    if (drain.abort) dispatcher_.abort_all();
  }
  void handle(Command& command) {
    const std::uint64_t number = command.number;
    if (std::holds_alternative<ShowHealth>(command.body)) return health(number);
    if (std::holds_alternative<ShowMetrics>(command.body)) return queries_.metrics(number);
    if (core_.store.unanswered() + deferred_.size() >= core_.options.max_commands) {
      return refuse(number, ErrorCode::busy, "too many commands wait for the store");
    }
    if (core_.draining) return refuse(number, ErrorCode::unavailable, "the server is stopping");
    if (!core_.recovered || !keeper_.loaded_once()) {
      deferred_.push_back(std::move(command));
      return;
    }
    std::visit([this, number](auto& body) { run(number, body); }, command.body);
  }

  void refuse(std::uint64_t number, ErrorCode code, const char* message) {
    core_.out.push_back(Reply{number, Error{code, message, ""}, std::nullopt});
  }

  void health(std::uint64_t number) {
    HealthReply reply{ready(), ""};
    if (!core_.recovered || !keeper_.loaded_once()) {
      reply.reason = "loading";
    } else if (core_.draining) {
      reply.reason = "stopping";
    } else if (!reply.ready) {
      reply.reason = "the store does not take writes";
    }
    core_.out.push_back(Reply{number, ReplyBody{reply}, std::nullopt});
  }

  void run(std::uint64_t number, UpsertJob& body) { jobs_.upsert(number, body); }
  void run(std::uint64_t number, DeleteJob& body) { jobs_.remove(number, body); }
  void run(std::uint64_t number, PauseJob& body) { jobs_.pause(number, body.ref, true); }
  void run(std::uint64_t number, ResumeJob& body) { jobs_.pause(number, body.ref, false); }
  void run(std::uint64_t number, TriggerJob& body) { jobs_.trigger(number, body); }
  void run(std::uint64_t number, ShowJob& body) { jobs_.show(number, body.ref); }
  void run(std::uint64_t number, ListJobs& body) { jobs_.list(number, body); }
  void run(std::uint64_t number, PutTimers& body) { timers_.put(number, std::move(body)); }
  void run(std::uint64_t number, CancelTimer& body) { timers_.cancel(number, body); }
  void run(std::uint64_t number, ShowTimer& body) { timers_.show(number, body); }
  void run(std::uint64_t number, QueryRuns& body) { queries_.list_runs(number, body); }
  void run(std::uint64_t number, ShowRun& body) { queries_.show_run(number, body.id); }
  void run(std::uint64_t, ShowHealth&) {}
  void run(std::uint64_t, ShowMetrics&) {}

  Core core_;
  Keeper keeper_;
  Planner planner_;
  Recorder recorder_;
  Dispatcher dispatcher_;
  Recovery recovery_;
  JobCommands jobs_;
  TimerCommands timers_;
  Queries queries_;
  std::vector<Command> deferred_;
  bool more_ = false;
  bool announced_ = false;
};

Engine::Engine(EngineOptions options, Recovered recovered, Now now)
    : impl_(std::make_unique<Impl>(options, std::move(recovered), now)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::vector<Action> Engine::step(Now now, std::vector<Event> events) {
  return impl_->step(now, std::move(events));
}
Deadline Engine::next_wakeup() const { return impl_->next_wakeup(); }
bool Engine::idle() const { return impl_->idle(); }
bool Engine::ready() const { return impl_->ready(); }
void Engine::check_invariants() const { impl_->check_invariants(); }

}  // namespace escapement::engine
