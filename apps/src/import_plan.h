// What importing a crontab would do, before it is done: entries become jobs.
//
// A job does what cron did: its shell gets the line, HOME is the working directory, PATH is cron's
// unless the crontab sets one, nothing is tried twice and nothing is cut off after 30 s. What is
// new: one run that was missed while no server ran is made up for (catch_up latest), and output is
// kept. Names come from the commands ("php-sessionclean"), so that importing the file again changes
// the same jobs, also after other lines have moved. Pure but for reading time zones; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "crontab.h"
#include "escapement/base/json.h"
#include "escapement/base/time.h"

namespace escapement::apps {

inline constexpr const char* kCronPath = "/usr/bin:/bin";

struct ImportSettings {
  bool system = false;
  std::string prefix;  // of the names; may be empty
  std::string zone;    // for entries without CRON_TZ
  Instant now{};
};

struct PlannedJob {
  std::size_t line = 0;
  std::string name;
  Json spec;             // as the API takes it
  std::string when;      // the schedule in plain words
  std::string next_due;  // RFC 3339 with the zone's offset; empty: never
  std::string command;
};

struct ImportPlan {
  std::vector<PlannedJob> jobs;
  std::vector<CrontabRemark> problems;
  std::vector<CrontabRemark> notes;
};

// Error: `invalid` when the whole text is beyond a limit; one bad line is a problem of the plan.
Result<ImportPlan> plan_import(std::string_view crontab, const ImportSettings& settings);

// {"jobs":[{"line","name","when","next_due","command","spec"}],"problems":[…],"notes":[…]}
Json to_json(const ImportPlan& plan);

}  // namespace escapement::apps
