#include "exec_supervisor.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace escapement::targets {
namespace {

constexpr int kRoundMs = 100;      // at most, between two rounds of killing
constexpr int kPatienceMs = 5000;  // for what does not die; then it is left to its owner

int open_pidfd(int process) { return static_cast<int>(syscall(SYS_pidfd_open, process, 0)); }

// Calls kill for every number in `text`; `carry` holds digits cut off at the end of the last block.
void kill_listed(const char* text, ssize_t size, long& carry) {
  for (ssize_t i = 0; i < size; ++i) {
    if (text[i] >= '0' && text[i] <= '9') {
      carry = carry * 10 + (text[i] - '0');
    } else if (carry > 0) {
      kill(static_cast<pid_t>(carry), SIGKILL);
      carry = 0;
    }
  }
}

// Children include the orphans that came to us as their subreaper.
void kill_children() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0) return;
  char text[4096];
  long carry = 0;
  for (ssize_t size = 0; (size = read(list, text, sizeof text)) > 0;) {
    kill_listed(text, size, carry);
  }
  kill_listed(" ", 1, carry);
  close(list);
}

// True when no child is left.
bool reap_dead() {
  while (true) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped == 0) return false;
    if (reaped < 0 && errno != EINTR) return true;
  }
}

// Waits for the next SIGCHLD, for a round at most.
void wait_for_death() {
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const timespec round{0, kRoundMs * 1'000'000L};
  sigtimedwait(&child, nullptr, &round);
}

void arm(int timer, int milliseconds) {
  itimerspec after{};
  after.it_value.tv_sec = milliseconds / 1000;
  after.it_value.tv_nsec = milliseconds % 1000 * 1'000'000L + 1;  // zero would disarm it
  timerfd_settime(timer, 0, &after, nullptr);
}

bool has_expired(int timer) {
  pollfd event{timer, POLLIN, 0};
  return poll(&event, 1, 0) != 0;
}

// The command may be a zombie still: then its number cannot have passed to anybody else.
void kill_all(pid_t command) {
  const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
  arm(timer, kPatienceMs);
  kill(-command, SIGKILL);
  kill(command, SIGKILL);
  while (!has_expired(timer)) {
    kill_children();
    if (reap_dead()) return;
    wait_for_death();
  }
}

SupervisorReport read_status(pid_t command) {
  siginfo_t info{};
  while (waitid(P_PID, static_cast<id_t>(command), &info, WEXITED | WNOWAIT) < 0 &&
         errno == EINTR) {
  }
  const bool exited = info.si_code == CLD_EXITED;
  return {exited ? SupervisorReport::exited : SupervisorReport::signalled, info.si_status};
}

// Follows the server's word until the command has ended or has to.
void watch(int control, pid_t command, int process) {
  const int timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC);
  pollfd events[] = {{process, POLLIN, 0}, {control, POLLIN, 0}, {timer, POLLIN, 0}};
  while (true) {
    if (poll(events, 3, -1) < 0) continue;
    if (events[0].revents != 0 || events[2].revents != 0) return;
    if (events[1].revents == 0) continue;
    StopCommand stop;
    if (recv(control, &stop, sizeof stop, 0) != sizeof stop) return;
    kill(-command, SIGTERM);
    arm(timer, stop.grace_ms);
  }
}

[[noreturn]] void report(int control, const SupervisorReport& report) {
  send(control, &report, sizeof report, MSG_NOSIGNAL);
  _exit(0);
}

}  // namespace

void supervise(const SpawnPorts& ports) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_NAME, "escapement-sup");
  signal(SIGCHLD, SIG_DFL);  // blocked, and read by wait_for_death
  const pid_t self = getpid();
  const pid_t command = _Fork();
  if (command == 0) run_program(ports, self);
  if (command < 0) report(ports.control, {SupervisorReport::setup_failed, errno});
  for (const int port : {ports.program, ports.input, ports.output}) close(port);
  const int process = open_pidfd(command);
  if (process < 0) {
    const int cause = errno;
    kill_all(command);
    report(ports.control, {SupervisorReport::setup_failed, cause});
  }
  watch(ports.control, command, process);
  kill(-command, SIGKILL);
  kill(command, SIGKILL);
  const SupervisorReport status = read_status(command);
  kill_all(command);
  report(ports.control, status);
}

}  // namespace escapement::targets
