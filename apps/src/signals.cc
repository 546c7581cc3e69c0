#include "signals.h"

#include <pthread.h>
#include <unistd.h>

#include <cerrno>

#include "escapement/apps/exit_code.h"
#include "escapement/base/check.h"

namespace escapement::apps {
namespace {

constexpr int kEndOfThread = SIGUSR2;  // sent to the waiting thread alone
constexpr int kSignalBase = 128;       // as shells count

timespec to_timespec(Duration duration) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(duration);
  return {.tv_sec = seconds.count(), .tv_nsec = (duration - seconds).count() * 1000};
}

void wait_and_exit(sigset_t set, Duration limit) {
  timespec left = to_timespec(limit);
  int signal = 0;
  do {
    signal = ::sigtimedwait(&set, nullptr, &left);
  } while (signal < 0 && errno == EINTR);
  if (signal == kEndOfThread) return;
  ::_exit(signal > 0 ? kSignalBase + signal : kExitInternal);
}

}  // namespace

Signals::Signals() {
  ::signal(SIGPIPE, SIG_IGN);
  ::sigemptyset(&set_);
  ::sigaddset(&set_, SIGTERM);
  ::sigaddset(&set_, SIGINT);
  ESCAPEMENT_CHECK(::pthread_sigmask(SIG_BLOCK, &set_, nullptr) == 0);
}

Signals::~Signals() {
  if (!thread_.joinable()) return;
  ::pthread_kill(thread_.native_handle(), kEndOfThread);
  thread_.join();
}

int Signals::wait() {
  int signal = 0;
  while (::sigwait(&set_, &signal) != 0) {
  }
  return signal;
}

void Signals::exit_at_next(Duration limit) {
  sigset_t set = set_;
  ::sigaddset(&set, kEndOfThread);
  // Blocked here, so that the thread is born with it blocked and no signal is lost before it waits.
  ESCAPEMENT_CHECK(::pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0);
  thread_ = std::thread([set, limit] { wait_and_exit(set, limit); });
}

}  // namespace escapement::apps
