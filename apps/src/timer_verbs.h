// The verbs about durable one-shot timers.
#pragma once

#include <cstdint>
#include <string>

#include "api_client.h"
#include "spec_json.h"

namespace escapement::apps {

struct TimerAddOptions {
  ServerOptions server;
  std::string key;
  std::string in;
  std::string at;
  TargetOptions target;
  PolicyOptions policies;  // timeout and max_attempts only
  bool reuse = false;
};

struct TimerOptions {
  ServerOptions server;
  std::string key;
};

struct TimerListOptions {
  ServerOptions server;
  std::string state;
  std::int64_t limit = 100;
  std::string cursor;
};

int timer_add(const TimerAddOptions& options, Console& console);
int timer_list(const TimerListOptions& options, Console& console);
int timer_show(const TimerOptions& options, Console& console);
int timer_cancel(const TimerOptions& options, Console& console);

}  // namespace escapement::apps
