#include "job_verbs.h"

#include <ostream>

#include "console.h"
#include "table.h"

namespace escapement::apps {
namespace {

Result<Json> spec_of(const JobAddOptions& options) {
  Result<Json> schedule = schedule_json(options.schedule);
  if (!schedule.ok()) return schedule;
  Result<Json> target = target_json(options.target);
  if (!target.ok()) return target;
  Json spec{{"schedule", *schedule}, {"target", *target}};
  Status added = add_policies(options.policies, spec);
  if (!added.ok()) return added.error();
  return spec;
}

// One line that says what became of the job.
void print_outcome(Console& console, const std::string& what, const Json& job) {
  console.out << what << ' ' << text_of(job, "name");
  std::string due = text_of(job, "next_due");
  if (!due.empty()) console.out << ", next due " << due;
  console.out << '\n';
}

int job_action(const JobOptions& options, Console& console, const std::string& action) {
  return run_api_verb(console,
                      {options.server,
                       [&](const ApiClient& api) {
                         return api.post(job_path(options.server.app, options.name) + '/' + action,
                                         Json::object());
                       },
                       [&](const Json& job) { print_outcome(console, action + "d", job); }});
}

void print_field(Console& console, const std::string& label, const std::string& value) {
  if (value.empty()) return;
  console.out << label << std::string(label.size() < 14 ? 14 - label.size() : 1, ' ')
              << one_line(value) << '\n';
}

void print_job(Console& console, const Json& job) {
  print_field(console, "job", text_of(job, "app") + '/' + text_of(job, "name"));
  print_field(console, "description", text_of(job, "description"));
  print_field(console, "state", text_of(job, "state"));
  print_field(console, "schedule", schedule_for_people(job.value("schedule", Json::object())));
  print_field(console, "target", target_for_people(job.value("target", Json::object())));
  for (const char* name :
       {"next_due", "timeout", "on_unknown", "revision", "created_at", "updated_at"}) {
    print_field(console, name, text_of(job, name));
  }
  for (const char* name : {"retry", "catch_up", "overlap", "counters"}) {
    print_field(console, name, text_of(job, name));
  }
}

}  // namespace

std::string schedule_for_people(const Json& schedule) {
  if (schedule.contains("cron")) {
    return text_of(schedule, "cron") + "  " + text_of(schedule, "tz");
  }
  if (schedule.contains("every")) return "every " + text_of(schedule, "every");
  if (schedule.contains("fixed_delay")) {
    return text_of(schedule, "fixed_delay") + " after the end";
  }
  return schedule.contains("at") ? "at " + text_of(schedule, "at") : "manual";
}

std::string target_for_people(const Json& target) {
  if (target.contains("http")) {
    return text_of(target["http"], "method") + ' ' + text_of(target["http"], "url");
  }
  if (!target.contains("exec")) return text_of(target, "in_process");
  std::string text = "exec";
  const Json argv = target["exec"].value("argv", Json::array());
  for (const Json& argument : argv) {
    text += ' ' + (argument.is_string() ? argument.get<std::string>() : dump_json(argument));
  }
  return text;
}

int job_add(const JobAddOptions& options, Console& console) {
  Result<Json> spec = spec_of(options);
  if (!spec.ok()) return report(console, spec.error());
  return run_api_verb(console, {options.server,
                                [&](const ApiClient& api) {
                                  return api.put(job_path(options.server.app, options.name), *spec);
                                },
                                [&](const Json& job) { print_outcome(console, "saved", job); }});
}

int job_list(const JobListOptions& options, Console& console) {
  auto print = [&](const Json& page) {
    Table table({"JOB", "STATE", "SCHEDULE", "NEXT DUE (UTC)", "TARGET"});
    const Json jobs = page.value("jobs", Json::array());
    for (const Json& job : jobs) {
      table.add({text_of(job, "name"), text_of(job, "state"),
                 schedule_for_people(job.value("schedule", Json::object())),
                 text_of(job, "next_due"), target_for_people(job.value("target", Json::object()))});
    }
    table.print(console.out);
    std::string next = text_of(page, "next_cursor");
    if (!next.empty()) console.out << "more: --cursor " << next << '\n';
  };
  auto call = [&](const ApiClient& api) {
    return api.get(
        list_path("apps/" + url_encoded(options.server.app) + "/jobs",
                  {{"limit", std::to_string(options.limit)}, {"cursor", options.cursor}}));
  };
  return run_api_verb(console, {options.server, call, print});
}

int job_show(const JobOptions& options, Console& console) {
  return run_api_verb(console, {options.server,
                                [&](const ApiClient& api) {
                                  return api.get(job_path(options.server.app, options.name));
                                },
                                [&](const Json& job) { print_job(console, job); }});
}

int job_pause(const JobOptions& options, Console& console) {
  return job_action(options, console, "pause");
}

int job_resume(const JobOptions& options, Console& console) {
  return job_action(options, console, "resume");
}

int job_delete(const JobOptions& options, Console& console) {
  return run_api_verb(
      console,
      {options.server,
       [&](const ApiClient& api) { return api.remove(job_path(options.server.app, options.name)); },
       [&](const Json&) { console.out << "deleted " << options.name << '\n'; }});
}

int job_trigger(const JobTriggerOptions& options, Console& console) {
  Json request = Json::object();
  if (!options.in.empty()) request["in"] = options.in;
  if (!options.payload.empty()) request["payload"] = options.payload;
  return run_api_verb(
      console, {options.server,
                [&](const ApiClient& api) {
                  return api.post(job_path(options.server.app, options.name) + "/trigger", request);
                },
                [&](const Json& run) {
                  console.out << "triggered " << options.name << ": run " << text_of(run, "id")
                              << ", due " << text_of(run, "due") << '\n';
                }});
}

}  // namespace escapement::apps
