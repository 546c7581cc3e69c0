#include "exec_host.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "exec_supervisor.h"

namespace escapement::targets {
namespace {

// The ends that go to the supervisor; closed here once they are sent.
struct OtherEnds {
  UniqueFd program;
  UniqueFd input;
  UniqueFd output;
  UniqueFd control;

  SpawnPorts ports() const { return {program.get(), input.get(), output.get(), control.get()}; }
};

Error system_error(const char* what) {
  return Error{ErrorCode::unavailable,
               std::string(what) + ": " + std::generic_category().message(errno)};
}

bool make_pair(UniqueFd& a, UniqueFd& b) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return false;
  a = UniqueFd(ends[0]);
  b = UniqueFd(ends[1]);
  return true;
}

bool make_pipe(UniqueFd& reader, UniqueFd& writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  reader = UniqueFd(ends[0]);
  writer = UniqueFd(ends[1]);
  return true;
}

bool write_file(const std::string& bytes, UniqueFd& file) {
  file = UniqueFd(memfd_create("escapement-program", MFD_CLOEXEC));
  for (std::size_t done = 0; file.ok() && done < bytes.size();) {
    const ssize_t size = write(file.get(), bytes.data() + done, bytes.size() - done);
    if (size < 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return file.ok();
}

void make_non_blocking(const UniqueFd& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

bool send_ports(int socket, const SpawnPorts& ports) {
  char byte = 0;
  iovec data{&byte, 1};
  alignas(cmsghdr) char space[CMSG_SPACE(sizeof ports)] = {};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = space;
  message.msg_controllen = sizeof space;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof ports);
  std::memcpy(CMSG_DATA(header), &ports, sizeof ports);
  ssize_t size = 0;
  do {
    size = sendmsg(socket, &message, MSG_NOSIGNAL);
  } while (size < 0 && errno == EINTR);
  return size == 1;
}

}  // namespace

ExecHost::ExecHost() { launch(); }

ExecHost::~ExecHost() { reap(); }

bool ExecHost::launch() {
  reap();
  UniqueFd other;
  if (!make_pair(requests_, other)) return false;
  process_ = fork();
  if (process_ == 0) run_exec_host(other.get());
  if (process_ < 0) requests_.reset();
  return process_ > 0;
}

void ExecHost::reap() {
  requests_.reset();
  if (process_ <= 0) return;
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
}

Result<SpawnedProcess> ExecHost::spawn(const std::string& program) {
  SpawnedProcess ours;
  OtherEnds theirs;
  if (!write_file(program, theirs.program) || !make_pipe(theirs.input, ours.input) ||
      !make_pipe(ours.output, theirs.output) || !make_pair(ours.control, theirs.control)) {
    return system_error("cannot prepare a process");
  }
  for (const UniqueFd* end : {&ours.input, &ours.output, &ours.control}) make_non_blocking(*end);
  const bool sent = requests_.ok() && send_ports(requests_.get(), theirs.ports());
  if (!sent && !(launch() && send_ports(requests_.get(), theirs.ports()))) {
    return system_error("cannot reach the exec host");
  }
  return ours;
}

}  // namespace escapement::targets
