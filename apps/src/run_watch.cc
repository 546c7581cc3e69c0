#include <array>
#include <ostream>
#include <set>

#include "console.h"
#include "run_line.h"
#include "run_verbs.h"

namespace escapement::apps {
namespace {

constexpr std::array<const char*, 4> kTerminalStates{"succeeded", "failed", "cancelled", "skipped"};

// Asks for the newest finished runs of each terminal state: what is there at the first look is
// history, whatever comes after it is printed once. Runs that wait would fill a common page.
class Watch {
 public:
  Watch(const RunWatchOptions& options, Console& console, ApiClient api)
      : options_(options), console_(console), api_(std::move(api)) {
    options_.filter.limit = kWatchPage;
    options_.filter.cursor.clear();
  }

  int run() {
    while (true) {
      if (auto failure = look()) return report(console_, *failure, false);
      console_.out.flush();
      if (done() || !console_.out) return kExitFine;
      console_.clock.wait_until({.elapsed = console_.clock.now().elapsed + kWatchInterval});
    }
  }

 private:
  bool done() const { return options_.count > 0 && printed_ >= options_.count; }

  std::optional<Failure> look() {
    std::set<std::string> finished;
    for (const char* state : kTerminalStates) {
      if (!wanted_.empty() && wanted_ != state) continue;
      options_.filter.state = state;
      ApiClient::Answer answer = api_.get(run_list_path(options_.filter));
      if (auto* failure = std::get_if<Failure>(&answer)) return *failure;
      take_page(std::get<Json>(answer), finished);
    }
    finished_ = std::move(finished);
    started_ = true;
    return std::nullopt;
  }

  // The page has the newest first; people read downwards.
  void take_page(const Json& page, std::set<std::string>& finished) {
    const Json runs = page.value("runs", Json::array());
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      std::string id = text_of(*run, "id");
      if (started_ && !finished_.contains(id) && !done()) print(id);
      finished.insert(std::move(id));
    }
  }

  void print(const std::string& id) {
    ApiClient::Answer answer = api_.get(run_path(id));
    const Json* run = std::get_if<Json>(&answer);
    if (!run) return;
    ++printed_;
    if (options_.filter.server.json) {
      console_.out << dump_json(*run) << '\n';
    } else {
      console_.out << run_line(line_of(*run)) << '\n';
    }
  }

  static RunLine line_of(const Json& run) {
    RunLine line{.name = text_of(run, "job"), .state = text_of(run, "state")};
    if (line.name.empty()) line.name = text_of(run, "key");
    std::string at = text_of(run, "finished_at");
    if (run.contains("attempts") && !run["attempts"].empty()) {
      const Json& attempt = run["attempts"].back();
      at = text_of(attempt, "started_at");
      line.lateness_ms = attempt.value("lateness_ms", 0.0);
      line.attempt = attempt.value("number", std::int64_t{0});
      line.error = text_of(attempt, "error");
    }
    if (line.error.empty()) line.error = text_of(run, "reason");
    if (Result<Instant> instant = parse_instant(at); instant.ok()) line.at = *instant;
    return line;
  }

  RunWatchOptions options_;
  Console& console_;
  ApiClient api_;
  std::string wanted_ = options_.filter.state;  // "": every terminal state
  bool started_ = false;
  std::int64_t printed_ = 0;
  std::set<std::string> finished_;  // on the pages of the last look
};

}  // namespace

int run_watch(const RunWatchOptions& options, Console& console) {
  Result<ApiClient> client = ApiClient::open(options.filter.server, console);
  if (!client.ok()) return report(console, client.error());
  return Watch(options, console, std::move(*client)).run();
}

}  // namespace escapement::apps
