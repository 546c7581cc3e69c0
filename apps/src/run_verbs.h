// The verbs about runs.
#pragma once

#include <cstdint>
#include <string>

#include "api_client.h"

namespace escapement::apps {

inline constexpr Duration kWatchInterval = std::chrono::milliseconds{500};
inline constexpr std::int64_t kWatchPage = 500;  // newest runs of each terminal state

struct RunFilter {
  ServerOptions server;  // `app` filters here too
  std::string job;
  std::string key;
  std::string state;
  std::string origin;
  std::string due_from;
  std::string due_to;
  std::int64_t limit = 50;
  std::string cursor;
};

struct RunShowOptions {
  ServerOptions server;
  std::string id;
};

struct RunWatchOptions {
  RunFilter filter;
  std::int64_t count = 0;  // end after so many runs; 0: never
};

int run_list(const RunFilter& filter, Console& console);
int run_show(const RunShowOptions& options, Console& console);
int run_watch(const RunWatchOptions& options, Console& console);

std::string run_list_path(const RunFilter& filter);

}  // namespace escapement::apps
