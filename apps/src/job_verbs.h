// The verbs about jobs.
#pragma once

#include <cstdint>
#include <string>

#include "api_client.h"
#include "spec_json.h"

namespace escapement::apps {

struct JobAddOptions {
  ServerOptions server;
  std::string name;
  ScheduleOptions schedule;
  TargetOptions target;
  PolicyOptions policies;
};

struct JobOptions {
  ServerOptions server;
  std::string name;
};

struct JobListOptions {
  ServerOptions server;
  std::int64_t limit = 100;
  std::string cursor;
};

struct JobTriggerOptions {
  ServerOptions server;
  std::string name;
  std::string in;
  std::string payload;
};

int job_add(const JobAddOptions& options, Console& console);
int job_list(const JobListOptions& options, Console& console);
int job_show(const JobOptions& options, Console& console);
int job_pause(const JobOptions& options, Console& console);
int job_resume(const JobOptions& options, Console& console);
int job_delete(const JobOptions& options, Console& console);
int job_trigger(const JobTriggerOptions& options, Console& console);

// "0 2 * * * Europe/Berlin", "every 1h": the schedule's JSON in a cell of a table.
std::string schedule_for_people(const Json& schedule);
// "POST https://…", "exec /bin/echo hi".
std::string target_for_people(const Json& target);

}  // namespace escapement::apps
