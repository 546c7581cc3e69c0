// Server: the process around the engine, with a life that can end at any action.
//
// Carries the engine's actions out one by one; a death that was announced with `die_soon` happens
// between two of them, or between a commit and its answer. One thread.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "judge.h"
#include "sim_store.h"
#include "sim_targets.h"

namespace escapement::simulation {

class Server {
 public:
  using ReplyHandler = std::function<void(const engine::Command&, const engine::Reply&)>;

  struct Ports {
    SimStore& store;
    SimTargets& targets;
  };
  Server(Stage& stage, Ports ports, Judge& judge, engine::EngineOptions options);

  void set_on_reply(ReplyHandler handler) { on_reply_ = std::move(handler); }

  void start();
  bool alive() const { return engine_.has_value(); }
  // False: nobody listens.
  bool send(engine::Command command);

  // Dies after this many more actions, or a second from now; starts again after `down`.
  void die_soon(std::int64_t actions, Duration down, bool reboot);
  // A clean shutdown: dispatches nothing more, ends when idle or after five seconds.
  void drain(Duration down);
  // The process stands still, the world goes on.
  void freeze(Duration span) { frozen_until_ = stage_.truth() + span; }
  // No death is due any more, and it runs.
  void heal();

  // True time at which it wants to run; Duration::max() for never.
  Duration wants_at() const;
  void step();

 private:
  void die();
  void count_action();
  void carry_out(std::vector<engine::Action> actions);
  void carry_out(engine::Action& action);
  void submit(engine::StoreAction& action);
  void reply(const engine::Reply& reply);
  void watch_spin(bool had_events);

  Stage& stage_;
  SimStore& store_;
  SimTargets& targets_;
  Judge& judge_;
  engine::EngineOptions options_;
  ReplyHandler on_reply_;
  std::optional<engine::Engine> engine_;
  std::vector<engine::Event> inbox_;
  std::map<std::uint64_t, Exchange> exchanges_;  // commands that wait for their reply
  std::optional<std::int64_t> actions_left_;
  Duration down_{};
  bool reboot_ = false;
  std::optional<Duration> drain_until_;
  Duration frozen_until_{};
  Duration busy_until_{};
  std::int64_t spins_ = 0;
  std::uint64_t life_ = 0;
};

}  // namespace escapement::simulation
