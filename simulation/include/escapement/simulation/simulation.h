// Simulation: the real engine in a world where everything is made up and repeatable.
//
// One thread, one seed: clocks, disk, targets, clients and faults are drawn from one generator, so
// that the same seed gives the same history to the last bit, which `trace_hash` proves. A world
// lives through a chaos phase (crashes, clock steps, lost commit answers, ...), then through a
// healing phase without faults; checkers watch every commit, dispatch and reply and judge the
// promises of docs/reliability.md. A failing seed is the whole bug report.
//
// Costs about one second of CPU per simulated hour under sanitizers. Reentrant, not thread-safe.
//
//   SimReport report = run_seed({.seed = 7});
//   for (const Violation& violation : report.violations) print(violation.message);
#pragma once

#include <array>
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "escapement/engine/engine.h"

namespace escapement::simulation {

// States that are reached seldom and where mistakes hide; a campaign must reach each of them.
enum class Rare {
  crash_in_flight,
  unknown_attempt,
  lost_answer_applied,
  lost_answer_not_applied,
  cancel_lost,
  cancel_won_close,
  backward_step,
  forward_catch_up,
  suspend,
  overlap_queue_full,
  catch_up_range,
  retry_exhausted,
  moved_while_armed,
  edit_dropped,
  store_full,
  backlog_drained,
  duplicate_ignored,
  dst_transition,
};
inline constexpr std::size_t kRareStates = static_cast<std::size_t>(Rare::dst_transition) + 1;
std::string_view to_string(Rare state);
using RareCounts = std::array<std::int64_t, kRareStates>;

struct SimOptions {
  std::uint64_t seed = 1;
  Duration hours = std::chrono::hours{1};  // simulated at least; the last 16 minutes are healing
  engine::EngineOptions::Guards guards;    // taken out one by one by tests
  std::ostream* trace = nullptr;           // every event and action as a line
};

struct Violation {
  std::string checker;  // its name and the promise it judges
  std::string message;
  Duration at{};  // since the start of the simulation
};

struct SimReport {
  std::uint64_t seed = 0;
  std::uint64_t trace_hash = 0;
  Duration simulated{};
  std::map<std::string, std::int64_t> faults;  // by kind
  std::int64_t crashes = 0;
  std::int64_t commands = 0;
  std::int64_t dispatches = 0;
  std::int64_t commits = 0;
  std::int64_t steps = 0;
  RareCounts rare{};
  std::vector<Violation> violations;  // the world stops at the first
};

SimReport run_seed(const SimOptions& options);

// One line: seed, hash, numbers, faults by kind, result.
std::string format_report(const SimReport& report);

// From now on a failed CHECK prints the seed that was running and how to run it again.
void print_seed_on_abort();

}  // namespace escapement::simulation
