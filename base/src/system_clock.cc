#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "escapement/base/check.h"
#include "escapement/base/clock.h"

namespace escapement {
namespace {

// The kernel counts nanoseconds in 64 bits; "never" is this side of its end, in the year 2255.
constexpr Duration kFarAway = std::chrono::seconds{9'000'000'000};
// An all-zero itimerspec would disarm the timer instead of firing at once.
constexpr Duration kSoonest{1};
constexpr unsigned long kTimerSlackNanos = 1;

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) { ESCAPEMENT_CHECK(fd >= 0); }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }

 private:
  int fd_;
};

Duration read_clock(clockid_t id) {
  timespec time{};
  ESCAPEMENT_CHECK(::clock_gettime(id, &time) == 0);
  return std::chrono::floor<Duration>(std::chrono::seconds{time.tv_sec} +
                                      std::chrono::nanoseconds{time.tv_nsec});
}

itimerspec absolute(Duration at) {
  at = std::clamp(at, kSoonest, kFarAway);
  const auto seconds = std::chrono::floor<std::chrono::seconds>(at);
  itimerspec spec{};
  spec.it_value.tv_sec = seconds.count();
  spec.it_value.tv_nsec = std::chrono::nanoseconds{at - seconds}.count();
  return spec;
}

// Arms the timer; false when the wall clock was stepped since it was last armed. "Never" is armed
// too, far away: only an armed timer reports a step.
bool arm(const Descriptor& timer, Duration at, int flags) {
  const itimerspec spec = absolute(at);
  if (::timerfd_settime(timer.get(), TFD_TIMER_ABSTIME | flags, &spec, nullptr) == 0) return true;
  ESCAPEMENT_CHECK(errno == ECANCELED);
  return false;
}

// Empties an eventfd or timerfd. One that has nothing to read (EAGAIN) or whose clock was stepped
// (ECANCELED) is empty afterwards too.
void drain(int fd) {
  std::uint64_t count = 0;
  const ssize_t got = ::read(fd, &count, sizeof(count));
  ESCAPEMENT_CHECK(got == sizeof(count) || errno == EAGAIN || errno == ECANCELED);
}

class SystemClock final : public Clock {
 public:
  explicit SystemClock(Duration wall_offset) : wall_offset_(wall_offset) {
    watch(woken_);
    watch(wall_timer_);
    watch(elapsed_timer_);
  }

  Now now() override {
    const Instant wall{read_clock(CLOCK_REALTIME)};
    const Elapsed elapsed{read_clock(CLOCK_BOOTTIME)};
    return Now{saturating_add(wall, wall_offset_), elapsed};
  }

  void wait_until(Deadline deadline) override {
    tighten_timer_slack();
    const Instant wall = saturating_add(deadline.wall, -wall_offset_);
    if (!arm(wall_timer_, wall.time_since_epoch(), TFD_TIMER_CANCEL_ON_SET)) return;
    arm(elapsed_timer_, deadline.elapsed.time_since_epoch(), 0);
    std::array<epoll_event, 3> events{};
    const int ready = ::epoll_wait(epoll_.get(), events.data(), int{events.size()}, -1);
    ESCAPEMENT_CHECK(ready >= 0 || errno == EINTR);
    for (int i = 0; i < ready; ++i) drain(events[static_cast<std::size_t>(i)].data.fd);
  }

  void wake() override {
    const std::uint64_t one = 1;
    const ssize_t put = ::write(woken_.get(), &one, sizeof(one));
    // A full counter (EAGAIN) wakes as well.
    ESCAPEMENT_CHECK(put == sizeof(one) || errno == EAGAIN);
  }

 private:
  void watch(const Descriptor& descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor.get();
    ESCAPEMENT_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor.get(), &event) == 0);
  }

  // The kernel may otherwise let a timer of this thread be 50 us late to save power.
  void tighten_timer_slack() {
    if (slack_tightened_) return;
    slack_tightened_ = true;
    ESCAPEMENT_CHECK(::prctl(PR_SET_TIMERSLACK, kTimerSlackNanos, 0, 0, 0) == 0);
  }

  const Duration wall_offset_;
  bool slack_tightened_ = false;
  const Descriptor epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  const Descriptor woken_{::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)};
  const Descriptor wall_timer_{::timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC)};
  const Descriptor elapsed_timer_{::timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC)};
};

}  // namespace

std::unique_ptr<Clock> make_system_clock(Duration wall_offset) {
  return std::make_unique<SystemClock>(wall_offset);
}

}  // namespace escapement
