// The target port: how an attempt leaves the engine and its result comes back.
//
// `start` hands over one attempt and returns at once; exactly one AttemptResult follows through the
// sink, also after `abort` (then the target ends the attempt as soon as it can and reports what
// became of it). Retry decisions are the engine's. The sink is called by the target's own threads
// and must only enqueue.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "escapement/domain/run.h"

namespace escapement::engine {

struct AttemptKey {
  domain::RunId run;
  std::int64_t number = 0;
  auto operator<=>(const AttemptKey&) const = default;
};

struct Dispatch {
  AttemptKey key;
  domain::Term term = 0;
  std::string run_id;  // the text form, also the idempotency key
  std::string app;
  std::string name;  // the job's name or the timer's key
  Instant due{};
  Duration timeout{};
  std::shared_ptr<const domain::Target> target;
  std::optional<std::string> payload;  // replaces body or stdin
};

struct AttemptResult {
  AttemptKey key;
  domain::AttemptState state = domain::AttemptState::succeeded;  // succeeded, failed or timed_out
  bool retryable = true;                // of a failure: false is final (HTTP 4xx, refused address)
  std::optional<Duration> retry_after;  // the target asked to wait at least this long
  std::int64_t status = 0;              // HTTP status or exit code, 128 + signal
  std::string error;                    // one line
  std::string output;                   // up to kMaxOutputBytes
};
using ResultSink = std::function<void(AttemptResult)>;

class TargetPort {
 public:
  virtual ~TargetPort() = default;
  virtual void start(Dispatch dispatch) = 0;
  // The engine's timeout has passed, or the server is shutting down.
  virtual void abort(AttemptKey key) = 0;
};

}  // namespace escapement::engine
