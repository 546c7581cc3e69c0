// TimerCommands: create and move.
#include <set>

#include "timer_commands.h"

namespace escapement::engine {

namespace {

constexpr int kMaxReads = 3;  // of the holders of keys, before a put gives up as busy

bool has_fired(const LiveRun& run) {
  return run.phase == Phase::in_flight || run.phase == Phase::recording || run.row.attempt > 1 ||
         run.phase == Phase::waiting;
}

}  // namespace

void TimerCommands::put(std::uint64_t number, PutTimers command) {
  auto put = std::make_shared<Put>();
  put->number = number;
  put->command = std::move(command);
  put->received = core_.time.now();
  put->offset = core_.time.offset();
  std::set<std::string> seen;
  for (const domain::TimerRequest& timer : put->command.timers) {
    if (!seen.insert(timer.key).second) {
      Error error = invalid("key", "the key \"" + timer.key + "\" occurs twice in this batch");
      core_.out.push_back(Reply{number, std::move(error), std::nullopt});
      return;
    }
    put->keys.push_back(timer.key);
  }
  locks_.lock(put->command.app, put->keys, [this, put] { attempt(put); });
}

void TimerCommands::attempt(const PutPtr& put) {
  put->rows.clear();
  put->created.clear();
  put->written.clear();
  put->write_offset = core_.time.offset();
  Mutations mutations;
  for (std::size_t i = 0; i < put->command.timers.size(); ++i) {
    if (!plan_one(put, i, mutations)) return;
  }
  if (mutations.empty()) return finish(put);
  core_.store.write(std::move(mutations),
                    [this, put](const Result<Written>& result) { on_put(put, result); });
}

bool TimerCommands::plan_one(const PutPtr& put, std::size_t i, Mutations& mutations) {
  const domain::TimerRequest& timer = put->command.timers[i];
  if (LiveRun* run = keeper_.find_timer(put->command.app, timer.key)) {
    const std::string& idempotency_key = put->command.idempotency_key;
    if (!idempotency_key.empty() && run->row.idempotency_key == idempotency_key) {
      put->rows.push_back(overlay(keeper_, *run));
      put->created.push_back(false);
      put->written.push_back(false);
      return true;
    }
    return plan_move(put, *run, timer, mutations);
  }
  auto ended = put->ended.find(timer.key);
  if (ended != put->ended.end()) {
    const Instant free_at = saturating_add(ended->second.finished_at.value_or(Instant::min()),
                                           domain::kTimerKeyRetention);
    if (!timer.reuse && put->received.wall < free_at) {
      put->rows.push_back(ended->second);
      put->created.push_back(false);
      put->written.push_back(false);
      return true;
    }
    mutations.push_back(ReleaseKey{ended->second.id});
  }
  plan_insert(put, timer, mutations);
  return true;
}

bool TimerCommands::plan_move(const PutPtr& put, LiveRun& run, const domain::TimerRequest& timer,
                              Mutations& mutations) {
  if (has_fired(run)) {
    const Run current = overlay(keeper_, run);
    fail(put, {ErrorCode::conflict, "too late: the timer \"" + timer.key + "\" has fired", "key"},
         &current);
    return false;
  }
  if (core_.options.guards.cancel_disarms_first) keeper_.disarm(run);
  put->held.push_back(run.row.id);
  Run after = run.row;
  ++after.revision;
  after.timer = timer.spec;
  after.idempotency_key = put->command.idempotency_key;
  set_due(after, *put, timer);
  mutations.push_back(UpdateRun{after, run.row.revision, std::nullopt, true});
  put->rows.push_back(std::move(after));
  put->created.push_back(false);
  put->written.push_back(true);
  return true;
}

void TimerCommands::plan_insert(const PutPtr& put, const domain::TimerRequest& timer,
                                Mutations& mutations) {
  Run run = make_run(*put, timer);
  mutations.push_back(InsertRun{run});
  put->rows.push_back(std::move(run));
  put->created.push_back(true);
  put->written.push_back(true);
}

Run TimerCommands::make_run(const Put& put, const domain::TimerRequest& timer) {
  Run run;
  run.id = core_.new_run_id();
  run.origin = domain::RunOrigin::timer;
  run.app = put.command.app;
  run.key = timer.key;
  run.created_at = put.received.wall;
  run.idempotency_key = put.command.idempotency_key;
  run.timer = timer.spec;
  set_due(run, put, timer);
  return run;
}

void TimerCommands::set_due(Run& row, const Put& put, const domain::TimerRequest& timer) const {
  row.due = timer.at ? *timer.at : saturating_add(put.received.wall, timer.in.value_or(Duration{}));
  row.next_attempt_at = std::max(row.due, put.received.wall);
  row.elapsed_term = timer.at ? 0 : core_.term;
  if (timer.at) return;
  const Instant wall = saturating_add(row.next_attempt_at, core_.time.offset() - put.offset);
  row.next_attempt_at = core_.time.to_stored(moment(put, timer).at, wall);
}

Moment TimerCommands::moment(const Put& put, const domain::TimerRequest& timer) const {
  if (timer.at) return {};
  return {saturating_add(put.received.elapsed, timer.in.value_or(Duration{})), put.write_offset};
}

void TimerCommands::on_put(const PutPtr& put, const Result<Written>& result) {
  if (result.ok()) return finish(put);
  restore(put);
  if (result.error().code == ErrorCode::conflict && put->reads < kMaxReads) {
    return read_holders(put);
  }
  Error error = result.error();
  if (error.code == ErrorCode::conflict) error = {ErrorCode::busy, "the key is contended", "key"};
  fail(put, std::move(error));
}

// Some keys exist already: read them, take the live ones into memory, and try again.
void TimerCommands::read_holders(const PutPtr& put) {
  ++put->reads;
  core_.store.read(FindTimers{put->command.app, put->keys}, [this, put](Result<StoreValue> result) {
    if (!result.ok()) return fail(put, result.error());
    put->ended.clear();
    for (Run& row : std::get<RunPage>(*result).runs) {
      if (domain::is_terminal(row.state)) {
        std::string key = row.key;
        put->ended.insert_or_assign(std::move(key), std::move(row));
      } else if (LiveRun* run = keeper_.adopt_loaded(std::move(row))) {
        put->held.push_back(run->row.id);
      }
    }
    attempt(put);
  });
}

void TimerCommands::finish(const PutPtr& put) {
  for (std::size_t i = 0; i < put->rows.size(); ++i) {
    if (!put->written[i]) continue;
    Run& row = put->rows[i];
    const Moment fires = moment(*put, put->command.timers[i]);
    if (put->created[i]) {
      core_.count(nullptr, {.produced = 1});
      keeper_.place_new(row, fires);
      continue;
    }
    LiveRun* run = keeper_.find(row.id);
    if (run == nullptr || has_fired(*run)) continue;  // only with the guard taken out
    keeper_.disarm(*run);
    run->row = row;
    keeper_.set_moment(*run, fires);
    keeper_.place(*run);
  }
  restore(put);
  RunsReply reply{put->rows, put->created};
  core_.out.push_back(Reply{put->number, ReplyBody{std::move(reply)}, std::nullopt});
  locks_.unlock(put->command.app, put->keys);
}

// What is still held goes back to its wheel as it was.
void TimerCommands::restore(const PutPtr& put) {
  for (RunId id : put->held) {
    LiveRun* run = keeper_.find(id);
    if (run != nullptr && run->phase == Phase::held) keeper_.place(*run);
  }
  put->held.clear();
}

void TimerCommands::fail(const PutPtr& put, Error error, const Run* current) {
  restore(put);
  Reply reply{put->number, std::move(error), std::nullopt};
  if (current != nullptr) reply.current = *current;
  core_.out.push_back(std::move(reply));
  locks_.unlock(put->command.app, put->keys);
}

}  // namespace escapement::engine
