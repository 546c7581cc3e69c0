// The last steps before the command: its user, folder, descriptors and signals, then exec.
#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "exec_supervisor.h"

namespace escapement::targets {
namespace {

constexpr int kExecFailed = 127;

struct Program {
  const ProgramHeader* header = nullptr;
  char* directory = nullptr;
  char* candidates[kMaxCandidates + 1] = {};
  char* arguments[domain::kMaxArgv + 1] = {};
  char* environment[domain::kMaxEnvironment + kMaxExtraEnvironment + 1] = {};
};

[[noreturn]] void give_up(int control, SupervisorReport::Stage stage, int cause) {
  const SupervisorReport report{SupervisorReport::setup_failed, cause, stage};
  send(control, &report, sizeof report, MSG_NOSIGNAL);
  _exit(kExecFailed);
}

char* take_strings(char* from, char** into, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    into[i] = from;
    from += strlen(from) + 1;
  }
  return from;
}

bool load(int file, Program& program) {
  struct stat info{};
  if (fstat(file, &info) != 0) return false;
  const auto size = static_cast<std::size_t>(info.st_size);
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return false;
  program.header = static_cast<const ProgramHeader*>(memory);
  char* text = static_cast<char*>(memory) + sizeof(ProgramHeader);
  text = take_strings(text, &program.directory, 1);
  text = take_strings(text, program.candidates, program.header->candidate_count);
  text = take_strings(text, program.arguments, program.header->argument_count);
  take_strings(text, program.environment, program.header->environment_count);
  return true;
}

// System calls instead of the library's, which would talk to threads that are not here.
bool become(const ProgramHeader& user) {
  if (user.has_user == 0) return true;
  return syscall(SYS_setgroups, user.group_count, user.groups) == 0 &&
         syscall(SYS_setresgid, user.gid, user.gid, user.gid) == 0 &&
         syscall(SYS_setresuid, user.uid, user.uid, user.uid) == 0;
}

void connect_standard_streams(const SpawnPorts& ports) {
  dup2(ports.input, STDIN_FILENO);
  dup2(ports.output, STDOUT_FILENO);
  dup2(ports.output, STDERR_FILENO);
  syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC);
}

void reset_signals() {
  for (int number = 1; number < NSIG; ++number) {
    if (number != SIGKILL && number != SIGSTOP) signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// Tries each candidate as execvp does, but never hands a file to a shell. Answers the cause.
int execute(Program& program) {
  int cause = ENOENT;
  for (char** path = program.candidates; *path != nullptr; ++path) {
    execve(*path, program.arguments, program.environment);
    if (errno == EACCES) cause = EACCES;
    if (errno != ENOENT && errno != ENOTDIR && errno != EACCES) return errno;
  }
  return cause;
}

}  // namespace

void run_program(const SpawnPorts& ports, int supervisor) {
  setsid();
  Program program;
  if (!load(ports.program, program)) give_up(ports.control, SupervisorReport::fork_stage, errno);
  connect_standard_streams(ports);
  if (!become(*program.header)) give_up(ports.control, SupervisorReport::user_stage, errno);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // after the change of user, which clears it
  if (getppid() != supervisor) _exit(kExecFailed);
  if (chdir(program.directory) != 0) {
    give_up(ports.control, SupervisorReport::directory_stage, errno);
  }
  reset_signals();
  give_up(ports.control, SupervisorReport::program_stage, execute(program));
}

}  // namespace escapement::targets
