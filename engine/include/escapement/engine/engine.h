// The engine: planner, keeper, dispatcher and recorder as one deterministic state machine.
//
//   step(now, events) -> actions
//
// It is single-threaded, reads no clock, owns no thread and knows stores and targets only as
// actions that go out and events that come back; the same code runs under the real clock and in
// the simulator. Work per step is bounded: when something is left, `next_wakeup` is now. What each
// part does stands in ARCHITECTURE.md, "The life of a run".
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "escapement/base/clock.h"
#include "escapement/engine/command.h"
#include "escapement/engine/store_port.h"
#include "escapement/engine/target_port.h"

namespace escapement::engine {

struct EngineOptions {
  Duration look_ahead = std::chrono::seconds{30};
  std::size_t max_loaded_runs = 100'000;
  std::size_t load_page = 2'000;
  std::size_t plan_page = 1'000;  // occurrences written by one step
  Duration arm_window = std::chrono::seconds{5};
  std::size_t max_in_flight = 256;
  double backlog_share = 0.2;         // of max_in_flight, while on-time work waits
  std::size_t max_commands = 50'000;  // that wait for the store; more are answered busy
  Duration retention = std::chrono::hours{24 * 7};
  Duration audit_interval = std::chrono::minutes{1};
  std::uint64_t seed = 1;  // of the jitter of back-off
  // Guards that tests take out one by one to see that something turns red. Never set in production.
  struct Guards {
    bool arm_before_dispatch = true;
    bool watermark = true;
    bool round_up = true;
    bool cancel_disarms_first = true;
    bool bump_term = true;
  } guards;
};

// ---- events in --------------------------------------------------------------------------------

// No new work is dispatched from now on; what is in flight may finish.
struct Drain {
  bool abort = false;  // also end what is in flight
};

using Event = std::variant<Command, StoreAnswer, AttemptResult, Drain>;

// ---- actions out ------------------------------------------------------------------------------

struct StoreAction {
  Ticket ticket = 0;
  StoreRequest request;
};
struct AbortAction {
  AttemptKey key;
};

// Something worth telling a person, as data; adapters log it.
struct RunFinished {
  domain::Run run;  // after the last attempt, terminal, committed
  domain::Attempt attempt;
};
struct CaughtUp {  // once, when recovery has ended
  std::int64_t unknown_attempts = 0;
  std::int64_t overdue_runs = 0;  // runs that were due while no server ran
};
struct Skipped {
  std::string app;
  std::string job;
  domain::Miss miss;
};
struct ClockStepped {
  Duration delta{};
};
struct StoreFailed {
  Error error;
};
using Notice = std::variant<RunFinished, CaughtUp, Skipped, ClockStepped, StoreFailed>;

using Action = std::variant<StoreAction, Dispatch, AbortAction, Reply, Notice>;

class Engine {
 public:
  Engine(EngineOptions options, Recovered recovered, Now now);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  // `now` may go backward on the wall clock, never on the elapsed one.
  std::vector<Action> step(Now now, std::vector<Event> events);

  // When step wants to be called although nothing happened.
  Deadline next_wakeup() const;

  // Nothing is in flight and no store request is unanswered.
  bool idle() const;
  bool ready() const;

  // Aborts on a broken invariant: counts, indexes, wheels, and who may be in flight.
  void check_invariants() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace escapement::engine
