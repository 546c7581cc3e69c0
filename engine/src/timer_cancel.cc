// TimerCommands: cancel and show.
#include "recorder.h"
#include "timer_commands.h"

namespace escapement::engine {

Run overlay(const Keeper& keeper, const LiveRun& run) {
  Run row = run.row;
  if (run.phase == Phase::in_flight || run.phase == Phase::recording) {
    row.state = RunState::running;
  } else if (keeper.is_armed(row.next_attempt_at)) {
    row.state = RunState::armed;
  }
  return row;
}

void TimerCommands::cancel(std::uint64_t number, const CancelTimer& command) {
  locks_.lock(command.app, {command.key},
              [this, number, command] { cancel_locked(number, command); });
}

void TimerCommands::cancel_locked(std::uint64_t number, const CancelTimer& command) {
  if (LiveRun* run = keeper_.find_timer(command.app, command.key)) {
    return cancel_live(number, command, *run);
  }
  core_.store.read(FindTimers{command.app, {command.key}},
                   [this, number, command](Result<StoreValue> result) {
                     cancel_read(number, command, std::move(result));
                   });
}

void TimerCommands::cancel_read(std::uint64_t number, const CancelTimer& command,
                                Result<StoreValue> result) {
  if (!result.ok()) return fail_cancel(number, command, result.error());
  // A page may have been faster.
  LiveRun* run = keeper_.find_timer(command.app, command.key);
  RunPage& page = std::get<RunPage>(*result);
  if (run == nullptr && page.runs.empty()) {
    return fail_cancel(number, command,
                       {ErrorCode::not_found, "no such timer: " + command.key, "key"});
  }
  if (run == nullptr && domain::is_terminal(page.runs.front().state)) {
    const Run& ended = page.runs.front();
    const std::string state{to_string(ended.state)};
    return fail_cancel(number, command,
                       {ErrorCode::conflict, "too late: the state of the timer is " + state, "key"},
                       &ended);
  }
  if (run == nullptr) run = keeper_.adopt_loaded(std::move(page.runs.front()));
  cancel_live(number, command, *run);
}

void TimerCommands::cancel_live(std::uint64_t number, const CancelTimer& command, LiveRun& run) {
  const bool fired =
      run.phase == Phase::in_flight || run.phase == Phase::recording || run.row.attempt > 1;
  if (fired) {
    const Run current = overlay(keeper_, run);
    if (run.phase == Phase::held) keeper_.place(run);
    return fail_cancel(number, command,
                       {ErrorCode::conflict, "too late: the timer has fired", "key"}, &current);
  }
  if (core_.options.guards.cancel_disarms_first) keeper_.disarm(run);
  Run after = run.row;
  ++after.revision;
  after.state = RunState::cancelled;
  after.finished_at = core_.time.now().wall;
  after.reason = "cancelled by key";
  core_.store.write({UpdateRun{after, run.row.revision, std::nullopt, false}},
                    [this, number, command, after](const Result<Written>& result) {
                      on_cancelled(number, command, after, result);
                    });
}

void TimerCommands::on_cancelled(std::uint64_t number, const CancelTimer& command, const Run& after,
                                 const Result<Written>& result) {
  LiveRun* run = keeper_.find(after.id);
  const bool started = run != nullptr && run->phase != Phase::held && run->phase != Phase::armed &&
                       run->phase != Phase::ready;
  if (!result.ok()) {
    if (run != nullptr && run->phase == Phase::held) keeper_.place(*run);
    return fail_cancel(number, command, result.error());
  }
  core_.count(nullptr, outcome_of(RunState::cancelled));
  if (run != nullptr && !started) keeper_.forget(after.id);
  core_.out.push_back(Reply{number, ReplyBody{RunReply{after, {}}}, std::nullopt});
  locks_.unlock(command.app, {command.key});
}

void TimerCommands::fail_cancel(std::uint64_t number, const CancelTimer& command, Error error,
                                const Run* current) {
  Reply reply{number, std::move(error), std::nullopt};
  if (current != nullptr) reply.current = *current;
  core_.out.push_back(std::move(reply));
  locks_.unlock(command.app, {command.key});
}

// ---- show -------------------------------------------------------------------------------------

void TimerCommands::show(std::uint64_t number, const ShowTimer& command) {
  if (const LiveRun* run = keeper_.find_timer(command.app, command.key)) {
    return reply_details(number, run->row.id, overlay(keeper_, *run));
  }
  core_.store.read(FindTimers{command.app, {command.key}},
                   [this, number, command](Result<StoreValue> result) {
                     if (!result.ok()) {
                       core_.out.push_back(Reply{number, result.error(), std::nullopt});
                       return;
                     }
                     const RunPage& page = std::get<RunPage>(*result);
                     if (!page.runs.empty()) {
                       return reply_details(number, page.runs.front().id, std::nullopt);
                     }
                     Error error{ErrorCode::not_found, "no such timer: " + command.key, "key"};
                     core_.out.push_back(Reply{number, std::move(error), std::nullopt});
                   });
}

void TimerCommands::reply_details(std::uint64_t number, RunId id, std::optional<Run> now) {
  core_.store.read(GetRun{id}, [this, number, now](Result<StoreValue> result) {
    if (!result.ok()) {
      core_.out.push_back(Reply{number, result.error(), std::nullopt});
      return;
    }
    RunDetails& details = std::get<RunDetails>(*result);
    if (!details.run) {
      Error error{ErrorCode::not_found, "the timer is gone", "key"};
      core_.out.push_back(Reply{number, std::move(error), std::nullopt});
      return;
    }
    RunReply reply{*details.run, std::move(details.attempts)};
    if (now && !domain::is_terminal(reply.run.state)) reply.run = *now;
    core_.out.push_back(Reply{number, ReplyBody{std::move(reply)}, std::nullopt});
  });
}

}  // namespace escapement::engine
