// The command line of `escapement`, as a function.
//
// Everything a verb touches comes in through a Console: streams, environment and clock, so that a
// test runs a verb without a process. `main` only fills it in. One thread at a time.
//
//   std::ostringstream out, err;
//   int status = run_cli({"cron", "next", "0 2 * * *", "--json"}, {in, out, err, {}, clock});
#pragma once

#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "escapement/apps/exit_code.h"
#include "escapement/base/clock.h"

namespace escapement::apps {

struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  std::map<std::string, std::string> env;
  Clock& clock;
  bool in_is_terminal = false;  // somebody can be asked

  // The variable's value; "" when it is not set.
  std::string variable(const std::string& name) const;
};

// `args` without the program's name. Answers the exit status, one of exit_code.h.
int run_cli(const std::vector<std::string>& args, Console& console);

}  // namespace escapement::apps
