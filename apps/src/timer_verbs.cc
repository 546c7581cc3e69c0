#include "timer_verbs.h"

#include <ostream>

#include "console.h"
#include "job_verbs.h"
#include "table.h"

namespace escapement::apps {
namespace {

Result<Json> request_of(const TimerAddOptions& options) {
  if (options.in.empty() == options.at.empty()) {
    return invalid("in", "give exactly one of --in and --at");
  }
  Result<Json> target = target_json(options.target);
  if (!target.ok()) return target;
  Json request{{"target", *target}};
  if (!options.in.empty()) request["in"] = options.in;
  if (!options.at.empty()) request["at"] = options.at;
  if (options.reuse) request["reuse"] = true;
  Status added = add_policies(options.policies, request);
  if (!added.ok()) return added.error();
  return request;
}

void print_timer(Console& console, const Json& timer) {
  console.out << "timer " << text_of(timer, "key") << ": " << text_of(timer, "state") << ", due "
              << text_of(timer, "due") << ", run " << text_of(timer, "id") << '\n';
}

}  // namespace

int timer_add(const TimerAddOptions& options, Console& console) {
  Result<Json> request = request_of(options);
  if (!request.ok()) return report(console, request.error());
  return run_api_verb(console, {options.server,
                                [&](const ApiClient& api) {
                                  return api.put(timer_path(options.server.app, options.key),
                                                 *request);
                                },
                                [&](const Json& timer) { print_timer(console, timer); }});
}

int timer_list(const TimerListOptions& options, Console& console) {
  auto print = [&](const Json& page) {
    Table table({"TIMER", "STATE", "DUE (UTC)", "ATTEMPT", "TARGET"});
    const Json timers = page.value("timers", Json::array());
    for (const Json& timer : timers) {
      table.add({text_of(timer, "key"), text_of(timer, "state"), text_of(timer, "due"),
                 text_of(timer, "attempt"),
                 target_for_people(timer.value("target", Json::object()))});
    }
    table.print(console.out);
    std::string next = text_of(page, "next_cursor");
    if (!next.empty()) console.out << "more: --cursor " << next << '\n';
  };
  auto call = [&](const ApiClient& api) {
    return api.get(list_path("apps/" + url_encoded(options.server.app) + "/timers",
                             {{"state", options.state},
                              {"limit", std::to_string(options.limit)},
                              {"cursor", options.cursor}}));
  };
  return run_api_verb(console, {options.server, call, print});
}

int timer_show(const TimerOptions& options, Console& console) {
  return run_api_verb(console, {options.server,
                                [&](const ApiClient& api) {
                                  return api.get(timer_path(options.server.app, options.key));
                                },
                                [&](const Json& timer) { print_timer(console, timer); }});
}

int timer_cancel(const TimerOptions& options, Console& console) {
  return run_api_verb(console,
                      {options.server,
                       [&](const ApiClient& api) {
                         return api.remove(timer_path(options.server.app, options.key));
                       },
                       [&](const Json&) { console.out << "cancelled " << options.key << '\n'; }});
}

}  // namespace escapement::apps
