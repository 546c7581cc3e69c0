// World: one seed from its first instant to the last; puts the parts together and runs the agenda.
#pragma once

#include "faults.h"
#include "judge.h"
#include "server.h"
#include "workload.h"

namespace escapement::simulation {

class World {
 public:
  explicit World(const SimOptions& options);

  SimReport run();

 private:
  World(const SimOptions& options, Random random);
  void run_until(Duration end);
  void note_transitions(Instant from);

  Random random_;
  Duration length_;
  Stage stage_;
  engine::EngineOptions engine_options_;
  SimStore store_;
  SimTargets targets_;
  Judge judge_;
  Server server_;
  Workload workload_;
  Faults faults_;
};

}  // namespace escapement::simulation
