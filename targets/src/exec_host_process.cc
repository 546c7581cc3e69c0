// The host: receives descriptors, forks supervisors, reaps them.
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "exec_supervisor.h"

namespace escapement::targets {
namespace {

constexpr int kRequests = 3;  // the host keeps the socket here, after the standard three

void close_range_from(unsigned first) { syscall(SYS_close_range, first, ~0U, 0U); }

// The standard three point to /dev/null so that no received descriptor takes their numbers.
void keep_only(int requests) {
  const int socket = fcntl(requests, F_DUPFD, kRequests + 1);
  const int null = fcntl(open("/dev/null", O_RDWR), F_DUPFD, kRequests + 1);
  for (int standard = 0; standard < kRequests; ++standard) dup2(null, standard);
  dup2(socket, kRequests);
  close_range_from(kRequests + 1);
}

// Signals meant for the server (from a terminal or a service manager) must not end it.
void detach() {
  setsid();
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  signal(SIGCHLD, SIG_IGN);  // the kernel reaps supervisors
  prctl(PR_SET_NAME, "escapement-exec");
}

bool receive(SpawnPorts& ports) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof(SpawnPorts))] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  ssize_t size = 0;
  do {
    size = recvmsg(kRequests, &message, MSG_CMSG_CLOEXEC);
  } while (size < 0 && errno == EINTR);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (size <= 0) return false;
  if (header == nullptr || header->cmsg_len != CMSG_LEN(sizeof ports)) {
    ports = {};
    return true;
  }
  memcpy(&ports, CMSG_DATA(header), sizeof ports);
  return true;
}

void serve(const SpawnPorts& ports) {
  if (ports.control < 0) return;
  const pid_t child = _Fork();
  if (child == 0) {
    close(kRequests);
    supervise(ports);
  }
  if (child < 0) {
    const SupervisorReport report{SupervisorReport::setup_failed, errno};
    send(ports.control, &report, sizeof report, MSG_NOSIGNAL);
  }
  for (const int port : {ports.program, ports.input, ports.output, ports.control}) close(port);
}

}  // namespace

void run_exec_host(int requests) {
  keep_only(requests);
  detach();
  SpawnPorts ports;
  while (receive(ports)) serve(ports);
  _exit(0);
}

}  // namespace escapement::targets
