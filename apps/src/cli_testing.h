// Runs a command line inside the test, on a clock that stands still.
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "escapement/apps/run_cli.h"

namespace escapement::apps {

// Always 2026-03-28T12:00:00Z; waiting ends at once.
class StandingClock final : public Clock {
 public:
  Now now() override { return {*parse_instant("2026-03-28T12:00:00Z"), Elapsed{}}; }
  void wait_until(Deadline) override {}
  void wake() override {}
};

struct CliResult {
  int status = 0;
  std::string out;
  std::string err;
};

struct CliInput {
  std::string in;
  std::map<std::string, std::string> env;
  bool terminal = false;
};

inline CliResult run(const std::vector<std::string>& args, const CliInput& input = {}) {
  StandingClock clock;
  std::istringstream in(input.in);
  std::ostringstream out;
  std::ostringstream err;
  Console console{in, out, err, input.env, clock, input.terminal};
  int status = run_cli(args, console);
  return {status, out.str(), err.str()};
}

// How many lines a text has; each ends with a newline.
inline std::size_t lines_of(const std::string& text) {
  std::size_t lines = 0;
  for (char c : text) lines += c == '\n';
  return lines;
}

}  // namespace escapement::apps
