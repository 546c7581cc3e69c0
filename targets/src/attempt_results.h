// The results that all kinds of targets answer in the same words. Values; any thread.
#pragma once

#include <string>

#include "escapement/base/result.h"
#include "escapement/engine/target_port.h"

namespace escapement::targets {

inline constexpr const char* kShuttingDown = "the server is shutting down";

// A failure that may be tried again.
inline engine::AttemptResult failed(engine::AttemptKey key, std::string error) {
  return {.key = key, .state = domain::AttemptState::failed, .error = std::move(error)};
}

// A failure that stays one: trying again would end the same way.
inline engine::AttemptResult refused(engine::AttemptKey key, std::string error) {
  engine::AttemptResult result = failed(key, std::move(error));
  result.retryable = false;
  return result;
}

inline engine::AttemptResult timed_out(engine::AttemptKey key, Duration timeout) {
  return {.key = key,
          .state = domain::AttemptState::timed_out,
          .error = "timed out after " + format_duration(timeout)};
}

}  // namespace escapement::targets
