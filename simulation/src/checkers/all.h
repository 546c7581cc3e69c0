// All checkers by name; the promise that each judges stands beside its factory.
#pragma once

#include "checker.h"

namespace escapement::simulation {

struct CheckerContext {
  Stage& stage;
  const History& history;
  const engine::EngineOptions& options;
};

// What was acknowledged exists, also after every restart (I1); one key, one thing (I8).
std::unique_ptr<Checker> make_acknowledged(const CheckerContext& context);
// No attempt starts before it is due, by the clock that decides (I2).
std::unique_ptr<Checker> make_never_early(const CheckerContext& context);
// Runs and misses of a job that nobody touched are the calendar's sequence (I3).
std::unique_ptr<Checker> make_occurrences(const CheckerContext& context);
// One dispatch per (run, attempt), of a run that is stored, live and armed (I4), recorded (I6).
std::unique_ptr<Checker> make_attempts(const CheckerContext& context);
// Terms only grow (I5).
std::unique_ptr<Checker> make_terms(const CheckerContext& context);
// After healing nothing that is due still waits (I7).
std::unique_ptr<Checker> make_liveness(const CheckerContext& context);
// Only legal transitions; terminal is final (I9).
std::unique_ptr<Checker> make_transitions(const CheckerContext& context);
// A start catches up no more than the policy's limit (I12).
std::unique_ptr<Checker> make_catch_up(const CheckerContext& context);
// Memory and attempts in flight stay below their limits (I13).
std::unique_ptr<Checker> make_bounds(const CheckerContext& context);
// Cancel wins or fire wins, never both, never neither (I15).
std::unique_ptr<Checker> make_cancel(const CheckerContext& context);
// Counters equal the rows, counted one by one (I17).
std::unique_ptr<Checker> make_conservation(const CheckerContext& context);
// max_attempts, overlap and max_age are respected.
std::unique_ptr<Checker> make_policies(const CheckerContext& context);
// Judges nothing: notes which rare states were reached.
std::unique_ptr<Checker> make_rare_states(const CheckerContext& context);

Checkers make_checkers(const CheckerContext& context);

}  // namespace escapement::simulation
