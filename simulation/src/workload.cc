#include "workload.h"

#include <utility>

namespace escapement::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

const std::vector<std::string> kApps = {"alpha", "beta", "gamma"};
constexpr int kUntouchedJobs = 6;
constexpr int kJobs = 8;
constexpr std::size_t kMaxJobs = 16;
constexpr std::size_t kRemembered = 200;

template <typename T>
void remember(std::vector<T>& list, T item, Random& random) {
  if (list.size() < kRemembered) return list.push_back(std::move(item));
  list[static_cast<std::size_t>(random.between(0, kRemembered - 1))] = std::move(item);
}

}  // namespace

Workload::Workload(Stage& stage, Random random)
    : stage_(stage), random_(random), specs_(random_.fork()) {}

void Workload::begin() {
  for (int i = 0; i < kUntouchedJobs; ++i) {
    const engine::JobRef ref{some_app(), "steady-" + std::to_string(i)};
    untouched_.push_back(ref);
    send(engine::UpsertJob{ref, specs_.job(stage_.clock.now().wall)});
  }
  for (int i = 0; i < kJobs; ++i) create_job();
  tick();
}

void Workload::finish() {
  finished_ = true;
  for (const engine::JobRef& ref : rapid_) send(engine::DeleteJob{ref});
}

void Workload::send(engine::CommandBody body) {
  engine::Command command{next_command_++, std::move(body)};
  stage_.line("command", {static_cast<std::int64_t>(command.number),
                          static_cast<std::int64_t>(command.body.index())});
  if (sender_(std::move(command))) ++stage_.report.commands;
}

void Workload::tick() {
  if (finished_) return;
  act();
  if (random_.one_in(8)) act();
  stage_.after(random_.skewed(milliseconds{20}, seconds{8}), [this] { tick(); });
}

void Workload::act() {
  const std::int64_t dice = random_.between(0, 99);
  if (dice < 26) return put_timer();
  if (dice < 29) return put_batch();
  if (dice < 39) return cancel_timer();
  if (dice < 50) return put_and_cancel_close();
  if (dice < 60) return move_timer();
  if (dice < 72) return trigger();
  if (dice < 86) return change_job();
  if (dice < 89) return create_job();
  if (dice < 91) return create_rapid_job();
  ask();
}

void Workload::create_job() {
  if (jobs_.size() >= kMaxJobs) return change_job();
  const engine::JobRef ref{some_app(), "job-" + std::to_string(next_name_++)};
  jobs_.push_back(ref);
  send(engine::UpsertJob{ref, specs_.job(stage_.clock.now().wall)});
}

void Workload::create_rapid_job() {
  const engine::JobRef ref{some_app(), "rapid-" + std::to_string(next_name_++)};
  rapid_.push_back(ref);
  send(engine::UpsertJob{ref, specs_.rapid_job()});
  // Deleted twice, since the first attempt may find no server or an unwilling one.
  const Duration life = random_.between(seconds{1}, seconds{15});
  for (const Duration wait : {life, 4 * life}) {
    stage_.after(wait, [this, ref] { send(engine::DeleteJob{ref}); });
  }
}

void Workload::change_job() {
  const engine::JobRef ref = some_job();
  const std::int64_t dice = random_.between(0, 9);
  if (dice < 5) return send(engine::UpsertJob{ref, specs_.job(stage_.clock.now().wall)});
  if (dice < 7) return send(engine::PauseJob{ref});
  if (dice < 9) return send(engine::ResumeJob{ref});
  send(engine::DeleteJob{ref});
}

void Workload::trigger() {
  engine::TriggerJob trigger{some_job(), {}, {}};
  if (random_.percent(40)) trigger.request.in = random_.skewed(milliseconds{1}, minutes{2});
  if (random_.percent(30)) trigger.request.payload = "payload";
  if (random_.percent(50)) {
    if (idempotency_keys_.empty() || random_.percent(60)) {
      remember(idempotency_keys_, fresh_key(), random_);
    }
    trigger.idempotency_key = random_.pick(idempotency_keys_);
  }
  send(std::move(trigger));
}

domain::TimerRequest Workload::timer_request(const std::string& key) {
  domain::TimerRequest request{.key = key, .spec = specs_.timer()};
  const std::int64_t dice = random_.between(0, 9);
  if (dice < 6) {
    request.in = random_.skewed(milliseconds{1}, minutes{8});
  } else if (dice < 9) {
    request.at = stage_.clock.now().wall + random_.skewed(milliseconds{1}, minutes{8});
  } else {
    request.at = stage_.clock.now().wall - random_.skewed(milliseconds{1}, minutes{30});
  }
  request.reuse = random_.percent(30);
  return request;
}

void Workload::put_timer() {
  TimerName name{some_app(), fresh_key()};
  send(engine::PutTimers{name.app, {timer_request(name.key)}, {}});
  remember(timers_, std::move(name), random_);
}

void Workload::put_batch() {
  engine::PutTimers put{some_app(), {}, random_.percent(30) ? fresh_key() : std::string{}};
  for (std::int64_t i = random_.between(2, 40); i > 0; --i) {
    put.timers.push_back(timer_request(fresh_key()));
    remember(timers_, TimerName{put.app, put.timers.back().key}, random_);
  }
  send(put);
  if (random_.percent(30)) send(std::move(put));  // the client repeats what it just asked
}

void Workload::put_and_cancel_close() {
  TimerName name{some_app(), fresh_key()};
  domain::TimerRequest request = timer_request(name.key);
  const Duration wait = random_.skewed(milliseconds{20}, minutes{1});
  if (random_.percent(50)) {
    request.at.reset();
    request.in = wait;
  } else {
    request.in.reset();
    request.at = stage_.clock.now().wall + wait;
  }
  send(engine::PutTimers{name.app, {std::move(request)}, {}});
  const Duration around = random_.between(milliseconds{-3}, milliseconds{2});
  stage_.after(std::max(wait + around, Duration::zero()),
               [this, name] { send(engine::CancelTimer{name.app, name.key}); });
}

void Workload::move_timer() {
  if (timers_.empty()) return put_timer();
  const TimerName name = random_.pick(timers_);
  engine::PutTimers put{name.app, {timer_request(name.key)}, {}};
  send(put);
  if (random_.one_in(4)) send(engine::CancelTimer{name.app, name.key});  // queues behind the move
  if (random_.one_in(4)) send(std::move(put));
}

void Workload::cancel_timer() {
  if (timers_.empty()) return put_timer();
  const TimerName name = random_.pick(timers_);
  send(engine::CancelTimer{name.app, name.key});
}

void Workload::ask() {
  const std::int64_t dice = random_.between(0, 6);
  if (dice == 0) return send(engine::ShowJob{some_job()});
  if (dice == 1) return send(engine::ListJobs{.app = some_app(), .limit = 5});
  if (dice == 2) return send(engine::QueryRuns{{.app = some_app(), .limit = 20}});
  if (dice == 3 && !seen_runs_.empty()) return send(engine::ShowRun{random_.pick(seen_runs_)});
  if (dice == 4 && !timers_.empty()) {
    const TimerName& name = random_.pick(timers_);
    return send(engine::ShowTimer{name.app, name.key});
  }
  if (dice == 5) return send(engine::ShowHealth{});
  send(engine::ShowMetrics{});
}

void Workload::on_reply(const engine::Command&, const engine::Reply& reply) {
  if (!reply.result.ok()) return;
  if (const auto* runs = std::get_if<engine::RunsReply>(&*reply.result)) {
    for (const domain::Run& run : runs->runs) remember(seen_runs_, run.id, random_);
  }
}

engine::JobRef Workload::some_job() { return random_.pick(jobs_); }
std::string Workload::fresh_key() { return "key-" + std::to_string(next_name_++); }
const std::string& Workload::some_app() { return random_.pick(kApps); }

}  // namespace escapement::simulation
