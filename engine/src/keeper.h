// Keeper: the runs that are due within the horizon, in two wheels; the store holds all.
//
// One wheel follows the wall clock, one the elapsed clock; both tick in kTick and round up, so
// nothing fires early. The horizon rises when a page is *requested*: a later commit below it is
// inserted directly, and a row that a page brings although it is here already is ignored. Before
// the first run of a stretch is due the keeper makes the stretch durable as armed.
#pragma once

#include <functional>
#include <set>
#include <unordered_map>

#include "state.h"

namespace escapement::engine {

inline constexpr Duration kTick = std::chrono::microseconds{100};
inline constexpr std::size_t kExpiriesPerStep = 4096;
inline constexpr Duration kOverdue = std::chrono::seconds{1};  // later than this is backlog

class Keeper {
 public:
  using DueHandler = std::function<void(LiveRun&)>;
  using TimeoutHandler = std::function<void(RunId, std::int64_t attempt)>;

  explicit Keeper(Core& core);

  // Takes a committed run into memory, held.
  LiveRun& adopt(Run row, Moment moment);
  // As `adopt` for rows that a store has read: the elapsed instant follows from the row.
  LiveRun* adopt_loaded(Run row);
  // Puts a held or new run into its wheel, or leaves it to the store when it is beyond the horizon.
  void place(LiveRun& run);
  // Commits of runs that are not in memory yet: kept when below the horizon.
  void place_new(Run row, Moment moment);
  // When a run fires: for elapsed kinds of this process.
  void set_moment(LiveRun& run, Moment moment);
  // Out of the wheel (if it is in one); phase becomes `held`.
  void disarm(LiveRun& run);
  void forget(RunId id);

  void arm_timeout(LiveRun& run, Duration timeout);
  void disarm_timeout(LiveRun& run);

  LiveRun* find(RunId id);
  LiveRun* find_timer(const std::string& app, const std::string& key);
  std::size_t loaded() const { return runs_.size(); }
  bool has_room() const { return runs_.size() < core_.options.max_loaded_runs; }
  Instant horizon() const { return horizon_; }
  const std::unordered_map<RunId, LiveRun, RunIdHash>& runs() const { return runs_; }

  // Expires what is due now. True when more is left for the next step.
  bool expire(const DueHandler& on_due, const TimeoutHandler& on_timeout);
  // Raises the horizon, loads pages, arms ahead.
  void tend();
  void start_loading();
  bool is_loading() const { return loading_ || probing_ || !loading_enabled_; }
  bool loaded_once() const { return loaded_once_; }
  std::int64_t overdue_loaded() const { return overdue_loaded_; }

  bool is_armed(Instant next_attempt_at) const {
    return !core_.options.guards.arm_before_dispatch || armed_.covers(next_attempt_at);
  }
  // Asks for the run's instant to become armed; `is_armed` is true after the commit.
  void request_arm(const LiveRun& run);
  // The last instant that is, or is about to be, armed.
  Instant armed_bound() const { return std::max(wanted_.until, wanted_.backlog); }
  bool is_or_will_be_armed(Instant at) const { return armed_.covers(at) || wanted_.covers(at); }

  // The wall clock was stepped.
  void on_step(Duration delta);
  Deadline next_wakeup() const;
  void check_invariants() const;

 private:
  struct Entry {
    RunId run;
    std::int64_t attempt = 0;  // 0: due; else the attempt whose timeout this is
  };
  using Wheel = timers::Wheel<Entry>;

  timers::Tick tick_of(std::int64_t micros) const;
  timers::Tick wall_tick() const;
  timers::Tick elapsed_tick() const;
  void schedule(LiveRun& run);
  void index(LiveRun& run);
  bool expire_wheel(Wheel& wheel, timers::Tick now, const DueHandler& on_due,
                    const TimeoutHandler& on_timeout);
  void request_page(Instant until);
  void on_page(const LoadDue& request, Result<StoreValue> result);
  void finish_loading(const LoadDue& request);
  void probe_beyond();
  void arm_ahead();
  void send_arm(Armed wanted);
  void rebuild_wall_wheel();
  Instant earliest_due() const;
  static Instant instant_of(timers::Tick tick);
  static Armed widened(Armed armed, Duration delta);

  Core& core_;
  std::unordered_map<RunId, LiveRun, RunIdHash> runs_;
  std::map<std::pair<std::string, std::string>, RunId> timers_;
  std::unique_ptr<Wheel> wall_;
  std::unique_ptr<Wheel> elapsed_;
  std::vector<Wheel::Expired> expired_;

  bool loading_enabled_ = false;
  bool loading_ = false;
  bool reload_ = false;         // what the store holds has moved, or a read failed
  Elapsed load_pause_until_{};  // after a failed read
  bool probing_ = false;
  bool loaded_once_ = false;
  Instant horizon_ = Instant::min();  // what is due up to here is in memory, or a page is asked
  Instant beyond_ = Instant::min();   // nothing in the store is due between horizon and this
  Instant cursor_at_ = Instant::min();
  RunId cursor_id_;
  std::int64_t overdue_loaded_ = 0;
  std::uint64_t load_epoch_ = 0;  // pages asked before a clock step are dropped

  Armed armed_;   // durable
  Armed wanted_;  // asked for; equals armed_ when nothing is unresolved
  bool arming_ = false;
};

}  // namespace escapement::engine
