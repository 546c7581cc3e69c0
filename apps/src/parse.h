// From arguments to a verb that is ready to run.
//
// CLI11 stays inside parse*.cc: each of them declares the options of its verbs, bound to a struct
// that the verb takes. Parsing has no effect of its own. One thread.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "escapement/apps/run_cli.h"

namespace CLI {
class App;
}

namespace escapement::apps {

using Verb = std::function<int(Console&)>;

struct ParsedLine {
  Verb verb;  // empty: there is nothing to run, only to say
  int exit_code = 0;
  std::string out;    // help or version
  std::string error;  // one line
};

ParsedLine parse_command_line(std::vector<std::string> args);

// ---- inside the parser ------------------------------------------------------------------------

// What the verbs' declarations share: where the chosen verb goes, and what stood after "--".
struct ParseState {
  Verb verb;
  std::vector<std::string> after_dashes;
};

void declare_serve(CLI::App& app, ParseState& state);
void declare_job(CLI::App& app, ParseState& state);
void declare_timer(CLI::App& app, ParseState& state);
void declare_run(CLI::App& app, ParseState& state);
void declare_cron(CLI::App& app, ParseState& state);

struct ServerOptions;
struct TargetOptions;
struct PolicyOptions;
void declare_server_options(CLI::App& verb, ServerOptions& options);
void declare_target_options(CLI::App& verb, TargetOptions& options);

}  // namespace escapement::apps
