#include "notice_log.h"

#include <ostream>
#include <string>

#include "log.h"
#include "run_line.h"

namespace escapement::apps {
namespace {

RunLine line_of(const engine::RunFinished& notice) {
  const domain::Run& run = notice.run;
  return {.at = notice.attempt.started_at,
          .name = run.job.empty() ? run.key : run.job,
          .state = std::string(domain::to_string(run.state)),
          .lateness_ms = static_cast<double>(notice.attempt.lateness.count()) / 1000,
          .attempt = notice.attempt.number,
          .error = notice.attempt.error.empty() ? run.reason : notice.attempt.error};
}

// Writes one kind of notice; `runs` may be nullptr.
struct Writer {
  std::ostream* runs;

  void operator()(const engine::RunFinished& notice) const {
    const std::string line = run_line(line_of(notice));
    if (runs) *runs << line << '\n';
    if (notice.run.state == domain::RunState::failed) log_warning("run failed: " + line);
  }
  void operator()(const engine::CaughtUp& notice) const {
    const std::string text =
        std::to_string(notice.overdue_runs) + " runs were due while no server ran, " +
        std::to_string(notice.unknown_attempts) + " attempts have an unknown end";
    log_info("caught up: " + text);
    if (runs && notice.overdue_runs + notice.unknown_attempts > 0) {
      *runs << "caught up: " << text << '\n';
    }
  }
  void operator()(const engine::Skipped& notice) const {
    const std::string text = notice.app + '/' + notice.job + ": " +
                             std::to_string(notice.miss.count) + " occurrences from " +
                             format_instant(notice.miss.from) + " to " +
                             format_instant(notice.miss.to) + " (" + notice.miss.reason + ')';
    log_info("skipped: " + text);
    if (runs) *runs << "skipped: " << text << '\n';
  }
  void operator()(const engine::ClockStepped& notice) const {
    bool back = notice.delta < Duration::zero();
    log_warning("the wall clock was stepped " + std::string(back ? "back by " : "forward by ") +
                format_duration(back ? -notice.delta : notice.delta));
  }
  void operator()(const engine::StoreFailed& notice) const {
    log_error("the store failed: " + notice.error.message);
  }
};

}  // namespace

NoticeLog::NoticeLog(std::ostream* runs) : runs_(runs), thread_([this] { write_all(); }) {}

NoticeLog::~NoticeLog() {
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void NoticeLog::add(const engine::Notice& notice) {
  {
    std::lock_guard lock(mutex_);
    if (queue_.size() >= kMaxQueuedNotices) {
      ++dropped_;
      return;
    }
    queue_.push_back(notice);
  }
  changed_.notify_one();
}

void NoticeLog::write_all() {
  for (bool ended = false; !ended;) {
    std::deque<engine::Notice> taken;
    std::int64_t dropped = 0;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return ended_ || !queue_.empty(); });
      taken.swap(queue_);
      std::swap(dropped, dropped_);
      ended = ended_;
    }
    for (const engine::Notice& notice : taken) write(notice);
    if (dropped > 0) log_warning(std::to_string(dropped) + " notices were not shown: too many");
    if (runs_) runs_->flush();
  }
}

void NoticeLog::write(const engine::Notice& notice) { std::visit(Writer{runs_}, notice); }

}  // namespace escapement::apps
