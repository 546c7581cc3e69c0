// SIGTERM and SIGINT as something to wait for; SIGPIPE ignored.
//
// Make one before any other thread starts: the signals are blocked in the calling thread and in
// all that it starts later. Nothing runs in a signal handler.
#pragma once

#include <signal.h>

#include <thread>

#include "escapement/base/time.h"

namespace escapement::apps {

class Signals {
 public:
  Signals();
  // Ends the thread of `exit_at_next`; the signals stay blocked.
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  // Answers the signal's number.
  int wait();

  // From now on the next signal ends the process at once (128 + its number), and so does the end
  // of `limit` (status 70).
  void exit_at_next(Duration limit);

 private:
  sigset_t set_{};
  std::thread thread_;
};

}  // namespace escapement::apps
