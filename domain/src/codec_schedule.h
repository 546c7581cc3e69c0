// The JSON form of a schedule; exactly one of its kinds. Pure functions; any thread.
#pragma once

#include <string>

#include "escapement/base/json.h"
#include "escapement/domain/job.h"

namespace escapement::domain {

// {"cron","dialect"?,"tz"?} | {"every","anchor"?} | {"fixed_delay"} | {"at"} | {"manual":true}
Result<Schedule> schedule_from_json(const Json& json, const std::string& path);
Json to_json(const Schedule& schedule);

}  // namespace escapement::domain
