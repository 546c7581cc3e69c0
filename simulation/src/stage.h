// Stage: what all parts of one simulated world share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "agenda.h"
#include "escapement/simulation/simulation.h"
#include "sim_clock.h"
#include "trace.h"

namespace escapement::simulation {

struct Stage {
  Stage(const SimOptions& options, Instant start) : clock(start), trace(options.trace) {
    report.seed = options.seed;
  }

  Duration truth() const { return clock.truth(); }
  void after(Duration delay, std::function<void()> what) {
    agenda.add(truth() + delay, std::move(what));
  }
  void line(std::string_view word, std::initializer_list<std::int64_t> numbers = {},
            std::string_view text = {}) {
    trace.line(truth(), word, numbers, text);
  }
  void reach(Rare state) { ++report.rare[static_cast<std::size_t>(state)]; }
  void fault(const std::string& kind) {
    ++report.faults[kind];
    line("FAULT", {}, kind);
  }
  void violate(std::string_view checker, std::string message) {
    line("VIOLATION", {}, message);
    report.violations.push_back({std::string{checker}, std::move(message), truth()});
  }

  SimClock clock;
  Agenda agenda;
  Trace trace;
  SimReport report;
};

}  // namespace escapement::simulation
