#include "server.h"

#include <algorithm>

#include "describe.h"

namespace escapement::simulation {
namespace {

constexpr Duration kStepCost{20};              // so that a busy engine does not stop true time
constexpr std::int64_t kMostSpins = 20'000;    // steps in a row that nothing asked for
constexpr std::int64_t kInvariantsEvery = 64;  // steps
constexpr Duration kGrace = std::chrono::seconds{5};

}  // namespace

Server::Server(Stage& stage, Ports ports, Judge& judge, engine::EngineOptions options)
    : stage_(stage),
      store_(ports.store),
      targets_(ports.targets),
      judge_(judge),
      options_(options) {
  store_.set_on_answer(
      [this](engine::StoreAnswer answer) { inbox_.emplace_back(std::move(answer)); });
  store_.set_on_commit([this](const engine::Write& write, const engine::Written& written) {
    judge_.on_commit(write, written);
    count_action();
  });
  targets_.set_on_result(
      [this](engine::AttemptResult result) { inbox_.emplace_back(std::move(result)); });
}

void Server::start() {
  if (alive()) return;
  ++life_;
  if (reboot_) stage_.clock.reboot();
  reboot_ = false;
  engine::Recovered recovered = store_.open(options_.guards.bump_term);
  stage_.line("start", {recovered.term, static_cast<std::int64_t>(recovered.jobs.size())});
  judge_.on_start(recovered);
  ++options_.seed;
  engine_.emplace(options_, std::move(recovered), stage_.clock.now());
}

bool Server::send(engine::Command command) {
  if (!alive()) return false;
  judge_.on_send(command);
  inbox_.emplace_back(std::move(command));
  return true;
}

void Server::die_soon(std::int64_t actions, Duration down, bool reboot) {
  if (!alive()) return;
  actions_left_ = actions;
  down_ = down;
  reboot_ = reboot;
  stage_.after(std::chrono::seconds{1}, [this, life = life_] {
    if (life == life_ && actions_left_) die();
  });
}

void Server::drain(Duration down) {
  if (!alive()) return;
  down_ = down;
  drain_until_ = stage_.truth() + kGrace;
  inbox_.emplace_back(std::in_place_type<engine::Drain>);
}

void Server::heal() {
  actions_left_.reset();
  frozen_until_ = {};
  start();
}

void Server::die() {
  stage_.line("death");
  ++stage_.report.crashes;
  judge_.on_death();
  engine_.reset();
  actions_left_.reset();
  drain_until_.reset();
  inbox_.clear();
  exchanges_.clear();
  store_.drop_waiting();
  targets_.drop_all();
  stage_.after(down_, [this, life = life_] {
    if (life == life_) start();
  });
}

void Server::count_action() {
  if (actions_left_ && --*actions_left_ < 0) die();
}

Duration Server::wants_at() const {
  if (!alive()) return Duration::max();
  Duration at = inbox_.empty() ? stage_.clock.when(engine_->next_wakeup()) : stage_.truth();
  if (drain_until_) at = std::min(at, *drain_until_);
  return std::max({at, frozen_until_, busy_until_});
}

void Server::step() {
  std::vector<engine::Event> events;
  events.swap(inbox_);
  const Now now = stage_.clock.now();
  for (const engine::Event& event : events) {
    if (const auto* command = std::get_if<engine::Command>(&event)) {
      stage_.line("command", {}, describe(command->body));
      exchanges_[command->number] = {*command, now, stage_.report.dispatches};
    } else if (const auto* result = std::get_if<engine::AttemptResult>(&event)) {
      stage_.line("result", {result->key.run.value, result->key.number}, to_string(result->state));
      judge_.on_result(*result);
    } else if (const auto* answer = std::get_if<engine::StoreAnswer>(&event)) {
      stage_.line("answer", {}, describe(*answer));
    }
  }
  watch_spin(!events.empty());
  carry_out(engine_->step(now, std::move(events)));
  busy_until_ = stage_.truth() + kStepCost;
  if (!alive()) return;
  if (++stage_.report.steps % kInvariantsEvery == 0) engine_->check_invariants();
  if (drain_until_ && (engine_->idle() || stage_.truth() >= *drain_until_)) die();
}

void Server::watch_spin(bool had_events) {
  spins_ = had_events || stage_.truth() > busy_until_ ? 0 : spins_ + 1;
  if (spins_ > kMostSpins) stage_.violate("work is bounded", "the engine spins without events");
}

void Server::carry_out(std::vector<engine::Action> actions) {
  for (engine::Action& action : actions) {
    carry_out(action);
    if (alive()) count_action();
    if (!alive()) return;
  }
}

void Server::carry_out(engine::Action& action) {
  if (auto* request = std::get_if<engine::StoreAction>(&action)) return submit(*request);
  if (const auto* dispatch = std::get_if<engine::Dispatch>(&action)) {
    stage_.line("dispatch", {dispatch->key.run.value, dispatch->key.number, dispatch->term},
                dispatch->name);
    judge_.on_dispatch(*dispatch);
    return targets_.start(*dispatch);
  }
  if (const auto* abort = std::get_if<engine::AbortAction>(&action)) {
    stage_.line("abort", {abort->key.run.value, abort->key.number});
    return targets_.abort(abort->key);
  }
  if (const auto* notice = std::get_if<engine::Notice>(&action)) {
    stage_.line("notice", {}, describe(*notice));
    return judge_.on_notice(*notice);
  }
  reply(std::get<engine::Reply>(action));
}

void Server::submit(engine::StoreAction& action) {
  stage_.line("submit", {static_cast<std::int64_t>(action.ticket)}, describe(action.request));
  if (const auto* write = std::get_if<engine::Write>(&action.request)) judge_.on_submit(*write);
  store_.submit(action.ticket, std::move(action.request));
}

void Server::reply(const engine::Reply& reply) {
  stage_.line("reply", {}, describe(reply));
  const auto found = exchanges_.find(reply.number);
  if (found == exchanges_.end()) {
    return stage_.violate("one reply per command",
                          "reply " + std::to_string(reply.number) + " answers no command");
  }
  const Exchange exchange = std::move(found->second);
  exchanges_.erase(found);
  judge_.on_reply(exchange, reply);
  on_reply_(exchange.command, reply);
}

}  // namespace escapement::simulation
