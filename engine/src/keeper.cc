#include "keeper.h"

namespace escapement::engine {

namespace {

bool is_live_timer(const Run& row) { return row.origin == domain::RunOrigin::timer; }

}  // namespace

Keeper::Keeper(Core& core) : core_(core) {
  wall_ = std::make_unique<Wheel>(wall_tick());
  elapsed_ = std::make_unique<Wheel>(elapsed_tick());
}

timers::Tick Keeper::tick_of(std::int64_t micros) const {
  if (micros <= 0) return 0;
  const auto value = static_cast<std::uint64_t>(micros);
  const auto tick = static_cast<std::uint64_t>(kTick.count());
  return value / tick + (core_.options.guards.round_up && value % tick != 0 ? 1 : 0);
}

timers::Tick Keeper::wall_tick() const {
  const std::int64_t micros = to_micros(core_.time.now().wall);
  return micros <= 0 ? 0 : static_cast<std::uint64_t>(micros / kTick.count());
}

timers::Tick Keeper::elapsed_tick() const {
  const std::int64_t micros = core_.time.now().elapsed.time_since_epoch().count();
  return micros <= 0 ? 0 : static_cast<std::uint64_t>(micros / kTick.count());
}

// ---- runs in memory ---------------------------------------------------------------------------

LiveRun* Keeper::find(RunId id) {
  auto found = runs_.find(id);
  return found == runs_.end() ? nullptr : &found->second;
}

LiveRun* Keeper::find_timer(const std::string& app, const std::string& key) {
  auto found = timers_.find({app, key});
  return found == timers_.end() ? nullptr : find(found->second);
}

void Keeper::index(LiveRun& run) {
  if (is_live_timer(run.row)) timers_[{run.row.app, run.row.key}] = run.row.id;
  auto job = core_.jobs_by_id.find(run.row.job_id.value);
  if (job == core_.jobs_by_id.end()) return;
  run.job = job->second;
  run.job->loaded.insert(run.row.id);
  if (run.row.attempt > 1) run.job->active.insert(run.row.id);
}

LiveRun& Keeper::adopt(Run row, Moment moment) {
  const RunId id = row.id;
  LiveRun& run = runs_[id];
  run.row = std::move(row);
  set_moment(run, moment);
  index(run);
  return run;
}

// The clock may have been stepped since the row was written; the store has shifted it then.
void Keeper::set_moment(LiveRun& run, Moment moment) {
  run.elapsed_at = moment.at;
  if (!run.elapsed()) return;
  const Duration stepped = core_.time.offset() - moment.offset;
  run.row.next_attempt_at = saturating_add(run.row.next_attempt_at, stepped);
}

LiveRun* Keeper::adopt_loaded(Run row) {
  if (domain::is_terminal(row.state) || runs_.contains(row.id)) return nullptr;
  const bool elapsed = row.elapsed_term == core_.term;
  const Elapsed at = elapsed ? core_.time.to_elapsed(row.next_attempt_at) : kNeverElapsed;
  return &adopt(std::move(row), {at, core_.time.offset()});
}

void Keeper::forget(RunId id) {
  LiveRun* run = find(id);
  if (run == nullptr) return;
  disarm(*run);
  disarm_timeout(*run);
  if (run->job) run->job->loaded.erase(id);
  if (is_live_timer(run->row)) {
    auto key = timers_.find({run->row.app, run->row.key});
    if (key != timers_.end() && key->second == id) timers_.erase(key);
  }
  runs_.erase(id);
}

void Keeper::schedule(LiveRun& run) {
  run.on_elapsed_wheel = run.elapsed();
  const Now now = core_.time.now();
  if (run.elapsed()) {
    run.backlog = run.late_at_load || run.elapsed_at + kOverdue < now.elapsed;
    const auto micros = run.elapsed_at.time_since_epoch().count();
    run.handle = elapsed_->schedule(tick_of(micros), Entry{run.row.id, 0}).handle;
  } else {
    run.backlog = run.late_at_load || saturating_add(run.row.next_attempt_at, kOverdue) < now.wall;
    const auto micros = to_micros(run.row.next_attempt_at);
    run.handle = wall_->schedule(tick_of(micros), Entry{run.row.id, 0}).handle;
  }
}

void Keeper::place(LiveRun& run) {
  disarm(run);
  if (run.row.next_attempt_at > horizon_) {
    beyond_ = std::min(beyond_, run.row.next_attempt_at);
    return forget(run.row.id);
  }
  schedule(run);
  run.phase = Phase::armed;
}

void Keeper::place_new(Run row, Moment moment) {
  if (row.next_attempt_at > horizon_) {
    beyond_ = std::min(beyond_, row.next_attempt_at);
    return;
  }
  if (runs_.contains(row.id)) return;  // a page was faster
  place(adopt(std::move(row), moment));
}

void Keeper::disarm(LiveRun& run) {
  if (run.phase == Phase::armed) {
    (run.on_elapsed_wheel ? elapsed_ : wall_)->cancel(run.handle);
  }
  run.phase = Phase::held;
}

void Keeper::arm_timeout(LiveRun& run, Duration timeout) {
  const Elapsed at = saturating_add(core_.time.now().elapsed, timeout);
  const Entry entry{run.row.id, run.attempt.number};
  run.timeout = elapsed_->schedule(tick_of(at.time_since_epoch().count()), entry).handle;
}

void Keeper::disarm_timeout(LiveRun& run) {
  elapsed_->cancel(run.timeout);
  run.timeout = timers::Handle{};
}

// ---- expiry -----------------------------------------------------------------------------------

bool Keeper::expire(const DueHandler& on_due, const TimeoutHandler& on_timeout) {
  if (wall_tick() < wall_->now()) rebuild_wall_wheel();
  const bool more_wall = expire_wheel(*wall_, wall_tick(), on_due, on_timeout);
  const bool more_elapsed = expire_wheel(*elapsed_, elapsed_tick(), on_due, on_timeout);
  return more_wall || more_elapsed;
}

bool Keeper::expire_wheel(Wheel& wheel, timers::Tick now, const DueHandler& on_due,
                          const TimeoutHandler& on_timeout) {
  expired_.clear();
  const bool more = wheel.advance(now, kExpiriesPerStep, expired_).more;
  for (const Wheel::Expired& entry : expired_) {
    if (entry.payload.attempt != 0) {
      on_timeout(entry.payload.run, entry.payload.attempt);
      continue;
    }
    LiveRun* run = find(entry.payload.run);
    ESCAPEMENT_CHECK(run != nullptr && run->phase == Phase::armed);
    on_due(*run);
  }
  return more;
}

// A wheel never goes back; after a backward step the wall-clock runs move to a new one.
void Keeper::rebuild_wall_wheel() {
  wall_ = std::make_unique<Wheel>(wall_tick());
  for (auto& [id, run] : runs_) {
    if (run.phase == Phase::armed && !run.on_elapsed_wheel) schedule(run);
  }
}

void Keeper::on_step(Duration delta) {
  for (auto& [id, run] : runs_) {
    if (run.elapsed()) run.row.next_attempt_at = saturating_add(run.row.next_attempt_at, delta);
  }
  // Runs in flight are shifted too and must stay covered by what is armed.
  wanted_ = widened(wanted_, delta);
  wanted_.written_at = core_.time.now().wall;
  Mutations mutations{ShiftElapsed{core_.term, delta}};
  if (core_.options.guards.arm_before_dispatch) mutations.push_back(SetArmed{wanted_});
  core_.store.write_barrier(std::move(mutations), [this, armed = wanted_] { armed_ = armed; });
  // What lies in the store has moved: read it anew, behind the shift.
  ++load_epoch_;
  loading_ = probing_ = false;
  cursor_at_ = Instant::min();
  cursor_id_ = RunId{};
  reload_ = true;
}

Armed Keeper::widened(Armed armed, Duration delta) {
  if (armed.backlog != Instant::min()) {
    armed.backlog = std::max(armed.backlog, saturating_add(armed.backlog, delta));
  }
  if (armed.from == Instant::max()) return armed;
  armed.from = std::min(armed.from, saturating_add(armed.from, delta));
  armed.until = std::max(armed.until, saturating_add(armed.until, delta));
  return armed;
}

// ---- wake-ups ---------------------------------------------------------------------------------

Instant Keeper::earliest_due() const {
  Instant at = kNever;
  if (auto tick = wall_->next_expiry()) at = instant_of(*tick);
  if (auto tick = elapsed_->next_expiry()) {
    at = std::min(at, core_.time.to_wall(Elapsed{instant_of(*tick).time_since_epoch()}));
  }
  return at;
}

Instant Keeper::instant_of(timers::Tick tick) {
  const auto limit = static_cast<std::uint64_t>(INT64_MAX / kTick.count());
  if (tick >= limit) return kNever;
  return from_micros(static_cast<std::int64_t>(tick) * kTick.count());
}

Deadline Keeper::next_wakeup() const {
  Deadline deadline;
  if (auto tick = wall_->next_expiry()) deadline.wall = instant_of(*tick);
  if (auto tick = elapsed_->next_expiry()) {
    deadline.elapsed = Elapsed{instant_of(*tick).time_since_epoch()};
  }
  const Instant earliest = earliest_due();
  if (core_.options.guards.arm_before_dispatch && earliest != kNever && !wanted_.covers(earliest)) {
    deadline.wall = std::min(deadline.wall, earliest - core_.options.arm_window / 2);
  }
  if (loading_enabled_ && !loading_ && !probing_) {
    if (core_.time.now().elapsed < load_pause_until_) {
      deadline.elapsed = std::min(deadline.elapsed, load_pause_until_);
    } else if (reload_) {
      deadline.elapsed = core_.time.now().elapsed;
    } else if (beyond_ != kNever && has_room()) {
      deadline.wall = std::min(deadline.wall, saturating_add(beyond_, -core_.options.look_ahead));
    }
  }
  return deadline;
}

void Keeper::check_invariants() const {
  wall_->check_invariants();
  elapsed_->check_invariants();
  std::size_t in_wheels = 0;
  for (const auto& [id, run] : runs_) {
    ESCAPEMENT_CHECK(run.row.id == id && !domain::is_terminal(run.row.state));
    if (run.phase == Phase::armed) {
      ++in_wheels;
      ESCAPEMENT_CHECK((run.on_elapsed_wheel ? elapsed_ : wall_)->contains(run.handle));
    }
    if (elapsed_->contains(run.timeout)) ++in_wheels;
    if (run.phase == Phase::in_flight) ESCAPEMENT_CHECK(run.attempt.number == run.row.attempt);
  }
  ESCAPEMENT_CHECK(in_wheels == wall_->size() + elapsed_->size());
}

}  // namespace escapement::engine
