// What options say about schedule, target and policies, as the JSON that the API takes.
//
// Only what the command line's own form makes possible is checked here ("METHOD=URL", "K: V");
// everything else the server judges, so that both speak with one voice. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "escapement/base/json.h"

namespace escapement::apps {

struct ScheduleOptions {
  std::string cron;
  std::string zone;
  std::string dialect;
  std::string every;
  std::string anchor;
  std::string fixed_delay;
  std::string at;
  bool manual = false;
};

struct TargetOptions {
  std::string http;                  // METHOD=URL, or a URL alone: POST
  std::vector<std::string> headers;  // "Name: value"
  std::string body;
  bool exec = false;
  std::vector<std::string> argv;  // what stands after "--"
  std::string stdin_text;
  std::vector<std::string> env;  // K=V
  std::string cwd;
  std::string user;
};

struct PolicyOptions {
  std::string timeout;
  std::int64_t max_attempts = 0;  // 0: not stated
  std::string catch_up;           // skip | latest | all[:N]
  std::string overlap;            // allow | skip | queue[:N]
  std::string description;
  bool paused = false;
};

Result<Json> schedule_json(const ScheduleOptions& options);
Result<Json> target_json(const TargetOptions& options);
// Adds the fields that were stated to a job or timer.
Status add_policies(const PolicyOptions& options, Json& spec);

}  // namespace escapement::apps
