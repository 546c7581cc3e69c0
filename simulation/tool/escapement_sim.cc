// escapement_sim: runs seeds of the simulation and prints one line for each.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

#include "escapement/simulation/simulation.h"

namespace {

using escapement::simulation::SimOptions;
using escapement::simulation::SimReport;

constexpr std::string_view kHelp =
    "escapement_sim --seed N [--seeds COUNT] [--hours H] [--trace] [--rare]\n"
    "Runs the engine in a simulated world, one seed after the other; exit 1 on a violation.\n"
    "\n"
    "  escapement_sim --seed 7                 one hour of the world number 7\n"
    "  escapement_sim --seed 1 --seeds 300     three hundred worlds\n"
    "  escapement_sim --seed 7 --hours 24      a day\n"
    "  escapement_sim --seed 7 --trace         every event and action as a line\n"
    "  escapement_sim --seed 1 --seeds 50 --rare   and how often each rare state was reached\n";

struct Arguments {
  std::uint64_t seed = 1;
  std::uint64_t seeds = 1;
  std::int64_t hours = 1;
  bool trace = false;
  bool rare = false;
  bool help = false;
};

std::optional<std::int64_t> number(const char* text) {
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const long long value = std::strtoll(text, &end, 10);
  if (*end != '\0' || value < 0) return std::nullopt;
  return value;
}

std::optional<Arguments> parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--help") {
      arguments.help = true;
    } else if (word == "--trace") {
      arguments.trace = true;
    } else if (word == "--rare") {
      arguments.rare = true;
    } else {
      const auto value = number(i + 1 < argc ? argv[++i] : nullptr);
      if (!value) return std::nullopt;
      if (word == "--seed") {
        arguments.seed = static_cast<std::uint64_t>(*value);
      } else if (word == "--seeds") {
        arguments.seeds = static_cast<std::uint64_t>(*value);
      } else if (word == "--hours" && *value >= 1 && *value <= 10'000) {
        arguments.hours = *value;
      } else {
        return std::nullopt;
      }
    }
  }
  return arguments;
}

void print_rare(const escapement::simulation::RareCounts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto state = static_cast<escapement::simulation::Rare>(i);
    std::cout << counts[i] << "  " << to_string(state) << '\n';
  }
}

int run(const Arguments& arguments) {
  escapement::simulation::RareCounts rare{};
  int result = 0;
  for (std::uint64_t i = 0; i < arguments.seeds; ++i) {
    const SimReport report = escapement::simulation::run_seed(
        SimOptions{.seed = arguments.seed + i,
                   .hours = std::chrono::hours{arguments.hours},
                   .trace = arguments.trace ? &std::cout : nullptr});
    std::cout << format_report(report) << std::endl;
    if (!report.violations.empty()) result = 1;
    for (std::size_t s = 0; s < rare.size(); ++s) rare[s] += report.rare[s];
  }
  if (arguments.rare) print_rare(rare);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Arguments> arguments = parse(argc, argv);
  if (!arguments || arguments->help) {
    (arguments ? std::cout : std::cerr) << kHelp;
    return arguments ? 0 : 2;
  }
  escapement::simulation::print_seed_on_abort();
  return run(*arguments);
}
