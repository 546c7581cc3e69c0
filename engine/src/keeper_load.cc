// Keeper: the horizon and its pages, and arming by range.
#include "keeper.h"

namespace escapement::engine {

void Keeper::start_loading() { loading_enabled_ = true; }

void Keeper::tend() {
  if (!loading_enabled_) return;
  const Instant target = saturating_add(core_.time.now().wall, core_.options.look_ahead);
  const bool paused = core_.time.now().elapsed < load_pause_until_;
  if (!loading_ && !probing_ && !paused && (reload_ || target > horizon_)) {
    if (reload_) {
      reload_ = false;
      request_page(std::max(target, horizon_));
    } else if (beyond_ > target) {
      horizon_ = cursor_at_ = target;  // nothing lies in between
      cursor_id_ = RunId{INT64_MAX};
    } else if (has_room()) {
      request_page(target);
    }
  }
  if (core_.options.guards.arm_before_dispatch) arm_ahead();
}

void Keeper::request_page(Instant until) {
  LoadDue request;
  request.until = until;
  request.cursor_at = cursor_at_;
  request.cursor_id = cursor_id_;
  request.limit = core_.options.load_page;
  loading_ = true;
  horizon_ = std::max(horizon_, until);  // later commits below it come directly
  core_.store.read(request, [this, request, epoch = load_epoch_](Result<StoreValue> result) {
    if (epoch == load_epoch_) on_page(request, std::move(result));
  });
}

void Keeper::on_page(const LoadDue& request, Result<StoreValue> result) {
  loading_ = false;
  if (!result.ok()) {
    reload_ = true;
    load_pause_until_ = core_.time.now().elapsed + kStoreRetry;
    return;
  }
  RunPage& page = std::get<RunPage>(*result);
  for (Run& row : page.runs) {
    cursor_at_ = row.next_attempt_at;
    cursor_id_ = row.id;
    if (row.next_attempt_at < core_.time.now().wall && !loaded_once_) ++overdue_loaded_;
    if (LiveRun* run = adopt_loaded(std::move(row))) {
      horizon_ = std::max(horizon_, run->row.next_attempt_at);
      run->late_at_load = run->row.next_attempt_at < core_.time.now().wall;
      place(*run);
    }
  }
  if (!page.more) return finish_loading(request);
  if (has_room()) {
    request_page(request.until);
  } else {
    loaded_once_ = true;
    horizon_ = beyond_ = cursor_at_;
  }
}

void Keeper::finish_loading(const LoadDue& request) {
  loaded_once_ = true;
  cursor_at_ = request.until;
  cursor_id_ = RunId{INT64_MAX};
  probe_beyond();
}

// One row behind the horizon tells how long nothing has to be read.
void Keeper::probe_beyond() {
  LoadDue request;
  request.until = kNever;
  request.cursor_at = cursor_at_;
  request.cursor_id = cursor_id_;
  request.limit = 1;
  probing_ = true;
  beyond_ = kNever;  // commits from here on lower it themselves
  core_.store.read(request, [this, epoch = load_epoch_](Result<StoreValue> result) {
    if (epoch != load_epoch_) return;
    probing_ = false;
    if (!result.ok()) {
      beyond_ = cursor_at_;
      load_pause_until_ = core_.time.now().elapsed + kStoreRetry;
      return;
    }
    const RunPage& page = std::get<RunPage>(*result);
    if (!page.runs.empty()) beyond_ = std::min(beyond_, page.runs.front().next_attempt_at);
  });
}

// ---- arming -----------------------------------------------------------------------------------

void Keeper::arm_ahead() {
  const Instant now = core_.time.now().wall;
  const Instant soon = now + core_.options.arm_window / 2;
  if (earliest_due() > soon || wanted_.covers(soon)) return;
  Armed wanted = wanted_;
  if (wanted.from == Instant::max()) wanted.from = now;
  wanted.until = std::max(wanted.until, now + core_.options.arm_window);
  send_arm(wanted);
}

void Keeper::request_arm(const LiveRun& run) {
  const Instant at = run.row.next_attempt_at;
  if (wanted_.covers(at)) return;
  const Instant now = core_.time.now().wall;
  Armed wanted = wanted_;
  if (run.backlog && at < wanted.from) {
    // The whole page that is in memory, so that a backlog costs one write a page.
    const Instant last = wanted.from == Instant::max() ? now : wanted.from - Duration{1};
    wanted.backlog = std::max({wanted.backlog, at, std::min({cursor_at_, last, now})});
  } else {
    wanted.from = std::min({wanted.from, at, now});
    wanted.until = std::max({wanted.until, at, now + core_.options.arm_window});
  }
  send_arm(wanted);
}

void Keeper::send_arm(Armed wanted) {
  wanted_ = wanted;
  if (arming_) return;  // sent when the one under way has ended
  arming_ = true;
  wanted.written_at = core_.time.now().wall;
  core_.store.write_until_done({SetArmed{wanted}}, [this, wanted](const Result<Written>& result) {
    arming_ = false;
    if (!result.ok()) return;
    armed_ = wanted;
    const Armed next = wanted_;
    const bool grown =
        next.backlog > armed_.backlog || next.from < armed_.from || next.until > armed_.until;
    if (grown) send_arm(next);
  });
}

}  // namespace escapement::engine
