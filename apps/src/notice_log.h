// What the engine tells people: log lines on stderr and, if wished, one line a run on stdout.
//
// The engine's thread must never wait for a terminal, so it only enqueues; a thread of this class
// writes. When nobody reads and the queue is full, notices are dropped and their number is logged.
// `add` may be called by any thread. The destructor writes what is queued.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <iosfwd>
#include <mutex>
#include <thread>

#include "escapement/engine/engine.h"

namespace escapement::apps {

inline constexpr std::size_t kMaxQueuedNotices = 10'000;

class NoticeLog {
 public:
  // `runs` gets a line for each finished run; nullptr: none. It must outlive this.
  explicit NoticeLog(std::ostream* runs);
  ~NoticeLog();
  NoticeLog(const NoticeLog&) = delete;
  NoticeLog& operator=(const NoticeLog&) = delete;

  void add(const engine::Notice& notice);

 private:
  void write_all();
  void write(const engine::Notice& notice);

  std::ostream* runs_;
  std::mutex mutex_;  // guards the three below
  std::deque<engine::Notice> queue_;
  std::int64_t dropped_ = 0;
  bool ended_ = false;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace escapement::apps
