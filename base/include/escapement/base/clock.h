// Clock: the one place where time is read, and where waiting happens.
//
// Everything else takes time as an argument or through this interface, so the simulator can replace
// it. The real clock waits in epoll on three descriptors: an eventfd that `wake` writes to, and two
// absolute timerfds, CLOCK_REALTIME (with TFD_TIMER_CANCEL_ON_SET, so that a step of the wall clock
// ends the wait) and CLOCK_BOOTTIME. `now` and `wake` may be called by any thread, `wait_until` by
// one thread only. An idle wait costs no wake-ups.
#pragma once

#include <memory>

#include "escapement/base/time.h"

namespace escapement {

// The earliest instants at which somebody wants to run again; `kNever` means not at all.
struct Deadline {
  Instant wall = kNever;
  Elapsed elapsed = kNeverElapsed;
};

class Clock {
 public:
  virtual ~Clock() = default;

  // Both clocks, read one right after the other.
  virtual Now now() = 0;

  // Returns when either deadline has been reached, when `wake` was called since the last wait, or
  // when the wall clock was stepped. May return for no reason; never sleeps past a deadline.
  virtual void wait_until(Deadline deadline) = 0;

  // Ends a wait that is going on, or the next one.
  virtual void wake() = 0;
};

// The machine's clock. `wall_offset` shifts the wall clock for tests of clock steps; real servers
// leave it at zero. Timer slack of the calling thread is set to 1 ns at the first wait.
std::unique_ptr<Clock> make_system_clock(Duration wall_offset = Duration::zero());

}  // namespace escapement
