#include "run_line.h"

#include <cstdio>

#include "console.h"

namespace escapement::apps {

std::string run_line(const RunLine& line) {
  constexpr std::size_t kDateBytes = 11;  // "2026-03-29T"
  constexpr std::size_t kTimeBytes = sizeof("12:00:01.000") - 1;
  std::string text = format_instant(line.at, true).substr(kDateBytes, kTimeBytes);
  text += "  " + one_line(line.name) + "  " + line.state;
  if (line.attempt > 0) {
    char lateness[64];
    std::snprintf(lateness, sizeof lateness, "  %+.1f ms  attempt %lld", line.lateness_ms,
                  static_cast<long long>(line.attempt));
    text += lateness;
  }
  if (!line.error.empty()) text += "  " + one_line(line.error);
  return text;
}

}  // namespace escapement::apps
