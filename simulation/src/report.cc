#include <csignal>
#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "escapement/simulation/simulation.h"
#include "world.h"

namespace escapement::simulation {
namespace {

// Written before a seed runs, read by the signal handler: async-signal-safe.
char running[96] = "no seed is running\n";

extern "C" void on_abort(int) {
  const ssize_t ignored = write(STDERR_FILENO, running, std::strlen(running));
  static_cast<void>(ignored);
  std::signal(SIGABRT, SIG_DFL);
}

}  // namespace

std::string_view to_string(Rare state) {
  static constexpr std::array<std::string_view, kRareStates> kNames = {
      "crash with attempts in flight",
      "unknown attempt",
      "lost answer, applied",
      "lost answer, not applied",
      "cancel lost the race",
      "cancel won within 1 ms of due",
      "backward step",
      "forward step with catch-up",
      "suspend",
      "overlap queue full",
      "catch-up range record",
      "retries exhausted",
      "timer moved while armed",
      "edit dropped planned rows",
      "store full",
      "backlog drained after downtime",
      "duplicate result ignored",
      "DST transition inside the simulated time"};
  return kNames[static_cast<std::size_t>(state)];
}

SimReport run_seed(const SimOptions& options) {
  std::snprintf(running, sizeof running, "reproduce: escapement_sim --seed %llu --trace\n",
                static_cast<unsigned long long>(options.seed));
  World world(options);
  return world.run();
}

std::string format_report(const SimReport& report) {
  char head[160];
  std::snprintf(head, sizeof head, "seed %llu hash %016llx simulated %.1fh",
                static_cast<unsigned long long>(report.seed),
                static_cast<unsigned long long>(report.trace_hash),
                static_cast<double>(report.simulated.count()) / 3.6e9);
  std::string line = head;
  line += " dispatches " + std::to_string(report.dispatches) + " commands " +
          std::to_string(report.commands) + " commits " + std::to_string(report.commits) +
          " restarts " + std::to_string(report.crashes) + " faults {";
  for (const auto& [kind, count] : report.faults) {
    line += (line.back() == '{' ? "" : ", ") + kind + ": " + std::to_string(count);
  }
  line += report.violations.empty() ? "} ok" : "} VIOLATED";
  for (const Violation& violation : report.violations) {
    line += "\n  " + violation.checker + ": " + violation.message + " (at " +
            std::to_string(static_cast<double>(violation.at.count()) / 1e6) + "s)";
  }
  if (!report.violations.empty()) {
    line += "\n  reproduce: escapement_sim --seed " + std::to_string(report.seed) + " --trace";
  }
  return line;
}

void print_seed_on_abort() { std::signal(SIGABRT, on_abort); }

}  // namespace escapement::simulation
