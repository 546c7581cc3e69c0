// One finished run in one line, as `serve --print-runs` and `run watch` show it:
//
//   12:00:01.000  heartbeat  succeeded  +0.4 ms  attempt 1
#pragma once

#include <cstdint>
#include <string>

#include "escapement/base/time.h"

namespace escapement::apps {

struct RunLine {
  Instant at{};      // UTC; when its last attempt was started
  std::string name;  // the job's or the timer's key
  std::string state;
  double lateness_ms = 0;
  std::int64_t attempt = 0;  // 0: it never ran
  std::string error;         // empty on success
};

std::string run_line(const RunLine& line);

}  // namespace escapement::apps
