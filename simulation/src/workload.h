// Workload: clients that send random commands and know only what they were told.
//
// Jobs and timers are picked from what this side believes to exist; whether a reply was right is
// the checkers' business, not this class's. A command that has no reply when the process dies is
// unknown to its client for ever. One thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "escapement/engine/command.h"
#include "random.h"
#include "spec_maker.h"
#include "stage.h"

namespace escapement::simulation {

class Workload {
 public:
  // Takes a command to the engine; false when no process serves (the client sees no connection).
  using Sender = std::function<bool(engine::Command)>;

  Workload(Stage& stage, Random random);

  void set_sender(Sender sender) { sender_ = std::move(sender); }
  void begin();
  // No new commands from now on; rapid jobs are deleted.
  void finish();
  void on_reply(const engine::Command& command, const engine::Reply& reply);

 private:
  struct TimerName {
    std::string app;
    std::string key;
  };

  void send(engine::CommandBody body);
  void tick();
  void act();
  void create_job();
  void create_rapid_job();
  void change_job();
  void trigger();
  void put_timer();
  void put_batch();
  void put_and_cancel_close();
  void move_timer();
  void cancel_timer();
  void ask();
  domain::TimerRequest timer_request(const std::string& key);
  engine::JobRef some_job();
  std::string fresh_key();
  const std::string& some_app();

  Stage& stage_;
  Random random_;
  SpecMaker specs_;
  Sender sender_;
  std::vector<engine::JobRef> jobs_;       // that may be changed
  std::vector<engine::JobRef> untouched_;  // created once, never edited, paused or triggered
  std::vector<engine::JobRef> rapid_;
  std::vector<TimerName> timers_;
  std::vector<std::string> idempotency_keys_;
  std::vector<domain::RunId> seen_runs_;
  std::int64_t next_name_ = 1;
  std::uint64_t next_command_ = 1;
  bool finished_ = false;
};

}  // namespace escapement::simulation
