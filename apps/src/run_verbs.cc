#include "run_verbs.h"

#include <ostream>

#include "console.h"
#include "table.h"

namespace escapement::apps {
namespace {

std::string owner_of(const Json& run) {
  std::string job = text_of(run, "job");
  return job.empty() ? text_of(run, "key") : job;
}

void print_runs(Console& console, const Json& page) {
  Table table({"RUN", "JOB OR TIMER", "STATE", "DUE (UTC)", "ATTEMPT", "FINISHED (UTC)", "REASON"});
  const Json runs = page.value("runs", Json::array());
  for (const Json& run : runs) {
    table.add({text_of(run, "id"), owner_of(run), text_of(run, "state"), text_of(run, "due"),
               text_of(run, "attempt"), text_of(run, "finished_at"), text_of(run, "reason")});
  }
  table.print(console.out);
  std::string next = text_of(page, "next_cursor");
  if (!next.empty()) console.out << "more: --cursor " << next << '\n';
}

void print_run(Console& console, const Json& run) {
  for (const char* name : {"id", "app", "job", "key", "origin", "state", "due", "next_attempt_at",
                           "created_at", "finished_at", "reason"}) {
    std::string value = text_of(run, name);
    if (!value.empty()) {
      console.out << name << std::string(17 - std::string_view(name).size(), ' ') << one_line(value)
                  << '\n';
    }
  }
  const Json attempts = run.value("attempts", Json::array());
  if (attempts.empty()) return;
  Table table({"ATTEMPT", "STATE", "STARTED (UTC)", "LATENESS MS", "STATUS", "ERROR", "OUTPUT"});
  for (const Json& attempt : attempts) {
    table.add({text_of(attempt, "number"), text_of(attempt, "state"),
               text_of(attempt, "started_at"), text_of(attempt, "lateness_ms"),
               text_of(attempt, "status"), text_of(attempt, "error"), text_of(attempt, "output")});
  }
  table.print(console.out);
}

}  // namespace

std::string run_list_path(const RunFilter& filter) {
  return list_path("runs", {{"app", filter.server.app},
                            {"job", filter.job},
                            {"key", filter.key},
                            {"state", filter.state},
                            {"origin", filter.origin},
                            {"due_from", filter.due_from},
                            {"due_to", filter.due_to},
                            {"limit", std::to_string(filter.limit)},
                            {"cursor", filter.cursor}});
}

int run_list(const RunFilter& filter, Console& console) {
  return run_api_verb(
      console, {filter.server, [&](const ApiClient& api) { return api.get(run_list_path(filter)); },
                [&](const Json& page) { print_runs(console, page); }});
}

int run_show(const RunShowOptions& options, Console& console) {
  return run_api_verb(
      console, {options.server, [&](const ApiClient& api) { return api.get(run_path(options.id)); },
                [&](const Json& run) { print_run(console, run); }});
}

}  // namespace escapement::apps
