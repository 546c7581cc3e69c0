#include "parse_common.h"
#include "serve_verb.h"

namespace escapement::apps {
namespace {

constexpr const char* kExamples =
    "  escapement serve\n"
    "  escapement serve --data /var/lib/escapement --allow-exec --print-runs\n"
    "  escapement serve --listen 0.0.0.0:7070 --insecure     # behind a proxy that speaks TLS";

}  // namespace

void declare_serve(CLI::App& app, ParseState& state) {
  auto [verb, line] = add_verb<ServeLine>(
      app, state, {"serve", "run the scheduler and its HTTP API", kExamples, serve});
  ServeOptions& options = line->options;
  verb->add_option("--data", options.data, "the data folder")->capture_default_str();
  verb->add_option("--listen", options.listen, "HOST:PORT")->capture_default_str();
  verb->add_flag("--allow-exec", options.allow_exec, "let jobs start programs on this machine");
  verb->add_flag("--insecure", options.insecure, "listen beyond loopback, without TLS");
  verb->add_flag("--print-runs", options.print_runs, "a line on stdout for each finished run");
  verb->add_option("--drain", line->drain, "how long the end waits for what is in flight")
      ->capture_default_str();
}

}  // namespace escapement::apps
