#include "parse.h"

#include <algorithm>
#include <sstream>

#include "api_client.h"
#include "escapement/apps/version.h"
#include "parse_common.h"
#include "spec_json.h"

namespace escapement::apps {
namespace {

constexpr const char* kFooter =
    "Exit status: 0 fine, 1 the server failed, 2 usage or bad input, 3 not found, 4 conflict,\n"
    "5 no server answers, 6 not authorised, 70 internal, 73 the data folder cannot be opened,\n"
    "75 the port is in use.\n"
    "`escapement help VERB` shows a verb's options and examples.";

// "help job add" is "job add --help".
void turn_help_around(std::vector<std::string>& args) {
  if (args.empty() || args.front() != "help") return;
  args.erase(args.begin());
  args.push_back("--help");
}

// What follows "--" is a command of its own and no business of the parser.
std::vector<std::string> cut_after_dashes(std::vector<std::string>& args) {
  auto dashes = std::find(args.begin(), args.end(), "--");
  if (dashes == args.end() || std::find(args.begin(), dashes, "--exec") == dashes) return {};
  std::vector<std::string> rest(dashes + 1, args.end());
  args.erase(dashes, args.end());
  return rest;
}

// CLI11 shows the help of the verb that was reached.
std::string text_of_exit(const CLI::App& app, const CLI::Error& error) {
  std::ostringstream out;
  app.exit(error, out, out);
  return out.str();
}

std::string first_line(std::string text) { return text.substr(0, text.find('\n')); }

void declare_all(CLI::App& app, ParseState& state) {
  app.name("escapement");
  app.footer(kFooter);
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("escapement ") + kVersion);
  app.option_defaults()->take_last();
  declare_serve(app, state);
  declare_job(app, state);
  declare_timer(app, state);
  declare_run(app, state);
  declare_cron(app, state);
}

}  // namespace

void declare_server_options(CLI::App& verb, ServerOptions& options) {
  verb.add_option("--server", options.server, "the server's URL (else ESCAPEMENT_SERVER)");
  verb.add_option("--data", options.data, "the data folder, for the token and the address");
  verb.add_option("--app", options.app, "the app that names belong to")->capture_default_str();
  verb.add_flag("--json", options.json, "print the API's JSON");
}

void declare_target_options(CLI::App& verb, TargetOptions& options) {
  verb.add_option("--http", options.http, "METHOD=URL to call; a URL alone is POSTed to");
  verb.add_option("--header", options.headers, "'Name: value', repeatable")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("--body", options.body, "what to send; an object or array goes as JSON");
  verb.add_flag("--exec", options.exec, "start a program: --exec -- PROGRAM ARGUMENTS");
  verb.add_option("--stdin", options.stdin_text, "the program's standard input");
  verb.add_option("--env", options.env, "NAME=VALUE for the program, repeatable")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("--cwd", options.cwd, "the program's working directory");
  verb.add_option("--user", options.user, "run the program as this user (a root server only)");
}

ParsedLine parse_command_line(std::vector<std::string> args) {
  turn_help_around(args);
  ParseState state;
  state.after_dashes = cut_after_dashes(args);
  CLI::App app("Timers that survive: a durable scheduler in one binary.");
  try {
    declare_all(app, state);
    if (args.empty()) return {.verb = {}, .exit_code = kExitUsage, .out = {}, .error = app.help()};
    std::reverse(args.begin(), args.end());
    app.parse(std::move(args));
  } catch (const CLI::Success& done) {
    return {.verb = {}, .exit_code = kExitFine, .out = text_of_exit(app, done), .error = {}};
  } catch (const CLI::Error& error) {
    return {.verb = {},
            .exit_code = kExitUsage,
            .out = {},
            .error = "escapement: " + first_line(error.what()) + " (see `escapement help`)\n"};
  }
  return {.verb = std::move(state.verb), .exit_code = kExitFine, .out = {}, .error = {}};
}

}  // namespace escapement::apps
