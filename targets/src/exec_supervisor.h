// The processes between the server and the commands it runs.
//
//   server --requests--> host --fork--> supervisor --fork--> command (its own session and group)
//      \________________control (the lifeline)____/
//
// The host is forked once, while the server is small, and forks a supervisor per attempt, so a
// server of many gigabytes and threads never has to fork. The server holds the only other end of
// each control socket: when the server dies, however it dies, the supervisor reads end of file and
// kills the command. The supervisor is a child subreaper: descendants that leave the group or the
// session come back to it as orphans, and it kills until it has no child left. It reports only then
// and exits. A supervisor that dies takes the command along (PR_SET_PDEATHSIG).
//
// Everything here runs after a fork from a process with threads: only async-signal-safe calls, no
// allocation, no locks. One process costs a few hundred KiB while its attempt lives.
#pragma once

#include <cstdint>

#include "escapement/domain/limits.h"

namespace escapement::targets {

inline constexpr std::uint32_t kMaxGroups = 256;     // supplementary groups of a user
inline constexpr std::uint32_t kMaxCandidates = 64;  // folders of a PATH
inline constexpr std::uint32_t kMaxExtraEnvironment = 16;

// How a program is written into the file that its supervisor maps: this header, then strings, each
// with its NUL: working directory, candidates (paths to try), arguments, NAME=value.
struct ProgramHeader {
  std::uint32_t has_user = 0;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint32_t group_count = 0;
  std::uint32_t groups[kMaxGroups] = {};
  std::uint32_t candidate_count = 0;
  std::uint32_t argument_count = 0;
  std::uint32_t environment_count = 0;
};

// What the server sends with each request, as SCM_RIGHTS in this order.
struct SpawnPorts {
  int program = -1;  // the file with the program
  int input = -1;    // read end of the command's stdin
  int output = -1;   // write end of its stdout and stderr
  int control = -1;  // the supervisor's end
};
inline constexpr int kSpawnPorts = 4;

// Server to supervisor: SIGTERM now, SIGKILL after the grace.
struct StopCommand {
  std::int32_t grace_ms = 0;
};

// Supervisor to server, once, and after it end of file. The first report counts.
struct SupervisorReport {
  enum Kind : std::int32_t { exited, signalled, setup_failed };
  enum Stage : std::int32_t { fork_stage, user_stage, directory_stage, program_stage };
  Kind kind = exited;
  std::int32_t value = 0;    // exit code, signal or errno
  Stage stage = fork_stage;  // of setup_failed
};

// The host's main: serves requests until the other end of `requests` is closed. Closes every other
// descriptor first.
[[noreturn]] void run_exec_host(int requests);

// The supervisor's main; reports and exits.
[[noreturn]] void supervise(const SpawnPorts& ports);

// The command's main, in a process just forked by `supervisor`; reports when it cannot exec.
[[noreturn]] void run_program(const SpawnPorts& ports, int supervisor);

}  // namespace escapement::targets
