// Functions of the embedding program as targets, found by name.
//
// A job with an in_process target names one of these functions; the program that embeds the
// scheduler hands them over when it starts. They run on a small pool of threads of their own, so a
// slow function delays other functions but never a timer. A function that throws has failed. A
// function cannot be killed: when its timeout passes `call.stop` is requested, and the attempt ends
// when the function returns. One that never looks at `stop` keeps its thread and its attempt.
//
//   functions["mail"] = [](const InProcessCall& call) {
//     return send_mail(call.payload) ? AttemptOutcome{} : AttemptOutcome{.succeeded = false};
//   };
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <string>

#include "escapement/base/time.h"

namespace escapement::targets {

inline constexpr std::size_t kInProcessThreads = 4;
inline constexpr std::size_t kMaxInProcessWaiting = 10'000;

struct InProcessCall {
  std::string function;
  std::string app;
  std::string name;    // the job's name or the timer's key
  std::string run_id;  // the same over all attempts: the idempotency key
  std::string payload;
  Instant due{};
  std::int64_t attempt = 1;
  std::int64_t term = 0;
  std::stop_token stop;  // requested at the timeout and at shutdown
};

struct AttemptOutcome {
  bool succeeded = true;
  bool retryable = true;  // of a failure
  std::string error;      // one line
  std::string output;     // cut at kMaxOutputBytes
};

// Called by several threads at once.
using InProcessFunction = std::function<AttemptOutcome(const InProcessCall&)>;
using InProcessFunctions = std::map<std::string, InProcessFunction, std::less<>>;

}  // namespace escapement::targets
