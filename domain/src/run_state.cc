#include <array>

#include "codec_detail.h"
#include "escapement/domain/run.h"

namespace escapement::domain {
namespace {

constexpr Names<RunState, 8> kStates{{{RunState::planned, "planned"},
                                      {RunState::armed, "armed"},
                                      {RunState::dispatched, "dispatched"},
                                      {RunState::running, "running"},
                                      {RunState::succeeded, "succeeded"},
                                      {RunState::failed, "failed"},
                                      {RunState::cancelled, "cancelled"},
                                      {RunState::skipped, "skipped"}}};
constexpr Names<RunOrigin, 3> kOrigins{{{RunOrigin::occurrence, "occurrence"},
                                        {RunOrigin::trigger, "trigger"},
                                        {RunOrigin::timer, "timer"}}};
constexpr Names<AttemptState, 5> kAttemptStates{{{AttemptState::running, "running"},
                                                 {AttemptState::succeeded, "succeeded"},
                                                 {AttemptState::failed, "failed"},
                                                 {AttemptState::timed_out, "timed_out"},
                                                 {AttemptState::unknown, "unknown"}}};

constexpr unsigned bit(RunState state) { return 1U << static_cast<unsigned>(state); }

// Where a state may go. `planned` again: a retry, a move, or a dispatch that nobody vouches for.
// A run that no target has seen may be cancelled, skipped (overlap) or failed (older than max_age,
// on_unknown fail); once it was dispatched, only its attempt decides.
constexpr unsigned next_states(RunState from) {
  using enum RunState;
  switch (from) {
    case planned:
      return bit(armed) | bit(cancelled) | bit(skipped) | bit(failed);
    case armed:
      return bit(planned) | bit(dispatched) | bit(cancelled) | bit(skipped) | bit(failed);
    case dispatched:
      return bit(planned) | bit(running) | bit(succeeded) | bit(failed);
    case running:
      return bit(planned) | bit(succeeded) | bit(failed);
    default:
      return 0;
  }
}

}  // namespace

std::string_view to_string(RunState state) { return name_of(kStates, state); }
std::string_view to_string(RunOrigin origin) { return name_of(kOrigins, origin); }
std::string_view to_string(AttemptState state) { return name_of(kAttemptStates, state); }

std::optional<RunState> run_state_from(std::string_view name) {
  for (const auto& [state, known] : kStates) {
    if (known == name) return state;
  }
  return std::nullopt;
}

bool is_legal(RunState from, RunState to) { return (next_states(from) & bit(to)) != 0; }

}  // namespace escapement::domain
