// Faults: what goes wrong in the chaos phase, planned at its beginning.
//
// Every seed gets at least ten faults and two crashes by construction; more are drawn. One thread.
#pragma once

#include "random.h"
#include "server.h"

namespace escapement::simulation {

class Faults {
 public:
  struct Victims {
    Server& server;
    SimStore& store;
    SimTargets& targets;
  };
  Faults(Stage& stage, Random random, Victims victims);

  // Spreads faults over (now, now + length).
  void plan(Duration length);
  // Everything works from now on, and the wall clock is right again.
  void heal();

 private:
  void strike(int kind);
  void crash();
  void drain();
  void step_back();
  void step_forward();
  void suspend();
  void freeze();
  void drift();
  void small_step();
  void store_window(std::int64_t StoreWeather::* share, const std::string& name);
  void store_stall();
  void targets_fail();
  void targets_hang();
  void after(Duration delay, std::function<void()> what);
  Duration down_time();

  Stage& stage_;
  Random random_;
  Server& server_;
  SimStore& store_;
  SimTargets& targets_;
  bool healed_ = false;
};

}  // namespace escapement::simulation
