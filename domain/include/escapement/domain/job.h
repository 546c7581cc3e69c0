// A job: a rule that says when (schedule), what (target) and how (policies).
//
// A job belongs to an app; its identity is (app, name). A JobSpec is what a user writes and reads
// back; it is a plain value, shared immutably between the engine and the targets. All defaults are
// those of docs/semantics.md. Values; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "escapement/base/time.h"
#include "escapement/calendar/cron.h"
#include "escapement/domain/limits.h"

namespace escapement::domain {

// ---- when -------------------------------------------------------------------------------------

struct CronSchedule {
  calendar::Cron cron;
};
// Fixed rate: the grid anchor + k * period. The anchor is the job's creation unless stated.
struct EverySchedule {
  Duration period{};
  std::optional<Instant> anchor;
};
// Counts from the end of the run before.
struct FixedDelaySchedule {
  Duration delay{};
};
struct AtSchedule {
  Instant at{};
};
// Runs only when triggered.
struct ManualSchedule {};

using Schedule =
    std::variant<CronSchedule, EverySchedule, FixedDelaySchedule, AtSchedule, ManualSchedule>;

// Elapsed kinds follow the elapsed clock while the process lives; the others the wall clock.
inline bool is_elapsed(const Schedule& schedule) {
  return std::holds_alternative<EverySchedule>(schedule) ||
         std::holds_alternative<FixedDelaySchedule>(schedule);
}

// ---- what -------------------------------------------------------------------------------------

struct HttpTarget {
  std::string method = "POST";
  std::string url;
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;           // bytes to send; a JSON body is stored as its compact text
  bool body_is_json = false;  // the user gave JSON, not a string: Content-Type defaults to it
};
struct ExecTarget {
  std::vector<std::string> argv;
  std::string stdin_text;
  std::map<std::string, std::string> environment;
  std::string working_directory;  // empty: the server's data folder
  std::string user;               // empty: the server's own; else only where the server is root
};
// A function of the embedding program, by name.
struct InProcessTarget {
  std::string name;
  std::string payload;
};
using Target = std::variant<HttpTarget, ExecTarget, InProcessTarget>;

// ---- how --------------------------------------------------------------------------------------

struct RetryPolicy {
  std::int64_t max_attempts = 3;
  Duration initial = 1s;
  double factor = 2;
  Duration max = std::chrono::minutes{5};
  double jitter = 0.2;              // the delay is spread over +- this share
  std::optional<Duration> max_age;  // no attempt starts later than due + max_age

  bool operator==(const RetryPolicy&) const = default;
};

enum class CatchUp { skip, latest, all };
struct CatchUpPolicy {
  CatchUp policy = CatchUp::latest;
  std::int64_t limit = 100;  // of `all`

  bool operator==(const CatchUpPolicy&) const = default;
};

enum class Overlap { allow, skip, queue };
struct OverlapPolicy {
  Overlap policy = Overlap::allow;
  std::int64_t limit = 100;  // of `queue`: runs that wait; more are skipped

  bool operator==(const OverlapPolicy&) const = default;
};

// What follows when a server died and nobody knows whether the attempt ran.
enum class OnUnknown { retry, fail };

struct JobSpec {
  Schedule schedule;
  Target target;
  RetryPolicy retry;
  Duration timeout = kDefaultTimeout;
  CatchUpPolicy catch_up;
  OverlapPolicy overlap;
  OnUnknown on_unknown = OnUnknown::retry;
  std::string description;
  bool enabled = true;  // false: paused
};

// What a durable one-shot timer carries besides its instant.
struct TimerSpec {
  Target target;
  RetryPolicy retry;
  Duration timeout = kDefaultTimeout;
};

}  // namespace escapement::domain
