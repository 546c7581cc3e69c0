// A run: the durable record of one thing due at one instant, and its state machine.
//
//   planned -> armed -> dispatched -> running -> succeeded | failed | cancelled | skipped
//
// Terminal states are final. A failed attempt with retries left returns the run to planned with a
// later next_attempt_at. Stores keep only `planned` and the terminal states: armed, dispatched and
// running are facts of the serving process, recovered from the armed range (docs/semantics.md, 3).
// A run comes from a job's occurrence, from a trigger, or alone: then it is a durable timer with a
// business key. Values; any thread.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "escapement/base/time.h"
#include "escapement/domain/job.h"

namespace escapement::domain {

// Number of a run inside one store: (term << 40) + counter, never used twice. Outside it is written
// as "<store name>-<number in hex>", unique over stores too; see format_run_id.
struct RunId {
  std::int64_t value = 0;
  auto operator<=>(const RunId&) const = default;
};

struct JobId {
  std::int64_t value = 0;  // 0: none
  auto operator<=>(const JobId&) const = default;
};

using Term = std::int64_t;  // fencing number of an ownership; grows with every start

std::string format_run_id(std::string_view store_name, RunId id);
// nullopt when the text is no run id of this store.
std::optional<RunId> parse_run_id(std::string_view store_name, std::string_view text);

enum class RunState { planned, armed, dispatched, running, succeeded, failed, cancelled, skipped };
enum class RunOrigin { occurrence, trigger, timer };
// `unknown`: a server died under it and nobody knows; never uses up max_attempts.
enum class AttemptState { running, succeeded, failed, timed_out, unknown };

std::string_view to_string(RunState state);
std::string_view to_string(RunOrigin origin);
std::string_view to_string(AttemptState state);
std::optional<RunState> run_state_from(std::string_view name);

constexpr bool is_terminal(RunState state) { return state >= RunState::succeeded; }
// Whether the state machine has this step (self-loops are not steps).
bool is_legal(RunState from, RunState to);

// One try of a run. Every attempt is kept.
struct Attempt {
  std::int64_t number = 1;
  Term term = 0;
  AttemptState state = AttemptState::running;
  Instant started_at{};  // wall clock, when it was handed to the target
  std::optional<Instant> finished_at;
  Duration lateness{};      // start minus planned start, on the clock that decided
  std::int64_t status = 0;  // HTTP status or exit code (128 + signal); 0 when none
  std::string error;        // why it failed, one line; empty on success
  std::string output;       // response body or output, up to kMaxOutputBytes
};

// A run as stores keep it. For a run of a job the spec lives in the job; for a timer in `timer`.
struct Run {
  RunId id;
  JobId job_id;  // 0 for a timer
  RunOrigin origin = RunOrigin::occurrence;
  std::string app;
  std::string job;            // the job's name; empty for a timer
  std::string key;            // the timer's key; empty for runs of jobs
  Instant due{};              // immutable but for a timer that is moved
  Instant next_attempt_at{};  // wall clock; grows with retries
  // The term under which next_attempt_at is an elapsed instant; 0: the wall clock decides.
  Term elapsed_term = 0;
  std::int64_t revision = 1;  // grows with every stored change; the highest wins
  RunState state = RunState::planned;
  std::int64_t attempt = 1;  // number of the next attempt; when terminal, of the last
  std::int64_t tries = 0;    // attempts that count against max_attempts (not the unknown)
  Instant created_at{};
  std::optional<Instant> finished_at;
  std::string reason;  // why it was skipped, cancelled or failed; one line
  std::string idempotency_key;
  std::optional<std::string> payload;      // of a trigger: replaces body or stdin
  std::shared_ptr<const TimerSpec> timer;  // of a timer
};

// Occurrences that were not run, one record for a whole range; `to` is the last one's due.
struct Miss {
  Instant from{};
  Instant to{};
  std::int64_t count = 0;
  std::string reason;  // "catch_up"
};

// Exact counts, per job (and for all timers of an app under the job id 0). Conservation, at every
// instant: produced = live + succeeded + failed + cancelled + skipped, where live is the number of
// runs that are not terminal.
struct Counters {
  std::int64_t produced = 0;  // occurrences up to the watermark + triggers + timers
  std::int64_t succeeded = 0;
  std::int64_t failed = 0;
  std::int64_t cancelled = 0;
  std::int64_t skipped = 0;

  bool operator==(const Counters&) const = default;
  Counters& operator+=(const Counters& other);
  std::int64_t live() const { return produced - succeeded - failed - cancelled - skipped; }
};

// A job as stores keep it.
struct Job {
  JobId id;
  std::string app;
  std::string name;
  std::int64_t revision = 1;
  std::shared_ptr<const JobSpec> spec;
  // The watermark: due of the next occurrence that is not planned yet; never moves backward while
  // the schedule stays. kNever: there is none (manual, an `at` that was planned, exhausted cron,
  // a fixed_delay whose run is still live).
  Instant next_due = kNever;
  Instant anchor{};  // grid of `every`; the creation unless stated
  Instant created_at{};
  Instant updated_at{};
  Counters counters;
};

}  // namespace escapement::domain
