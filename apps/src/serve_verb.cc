#include "serve_verb.h"

#include <ostream>

#include "console.h"
#include "log.h"
#include "signals.h"

namespace escapement::apps {
namespace {

int exit_code_of_start(const Error& error) {
  if (error.field == "data") return kExitDataFolder;
  if (error.code == ErrorCode::invalid) return kExitUsage;
  return error.field == "listen" ? kExitPortInUse : kExitFailed;
}

// A shift of the wall clock for tests: "90s", or "-90s" for back.
Result<Duration> test_wall_offset(const Console& console) {
  std::string text = console.variable("ESCAPEMENT_TEST_WALL_OFFSET");
  if (text.empty()) return Duration::zero();
  bool back = text.front() == '-';
  Result<Duration> offset = parse_duration(text.substr(back ? 1 : 0));
  if (!offset.ok()) return invalid("ESCAPEMENT_TEST_WALL_OFFSET", offset.error().message);
  log_warning("the wall clock is shifted by " + text + " for a test");
  return back ? -*offset : *offset;
}

int run_server(const ServeOptions& options, Console& console, Duration wall_offset) {
  // Before the first thread starts: all of them must leave the signals to the waiting one.
  Signals signals;
  std::unique_ptr<Clock> clock = make_system_clock(wall_offset);
  Result<std::unique_ptr<ServeApp>> app =
      ServeApp::start(options, {*clock, console.variable("ESCAPEMENT_TOKEN"), console.out});
  if (!app.ok()) {
    report(console, app.error());
    return exit_code_of_start(app.error());
  }
  console.out << "escapement: listening on " << (*app)->url() << ", data in " << options.data
              << ", token in " << (*app)->token_source() << std::endl;
  int signal = signals.wait();
  log_info("signal " + std::to_string(signal) + ": ending, again to end at once");
  signals.exit_at_next(options.drain + kShutdownMargin);
  (*app)->stop();
  app->reset();
  log_info("ended");
  return kExitFine;
}

}  // namespace

int serve(const ServeLine& line, Console& console) {
  Result<Duration> drain = parse_duration(line.drain);
  if (!drain.ok()) return report(console, invalid("drain", drain.error().message));
  Result<Duration> offset = test_wall_offset(console);
  if (!offset.ok()) return report(console, offset.error());
  ServeOptions options = line.options;
  options.drain = *drain;
  return run_server(options, console, *offset);
}

}  // namespace escapement::apps
