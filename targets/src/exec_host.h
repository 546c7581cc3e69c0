// The server's handle on the exec host (exec_supervisor.h): forks it, sends it programs to start.
//
// A host that was killed from outside is replaced at the next spawn. One thread at a time.
#pragma once

#include <sys/types.h>

#include <string>

#include "escapement/base/result.h"
#include "unique_fd.h"

namespace escapement::targets {

// The server's ends of one attempt. All of them non-blocking and closed on exec.
struct SpawnedProcess {
  UniqueFd input;    // write end of stdin
  UniqueFd output;   // read end of stdout and stderr
  UniqueFd control;  // StopCommand out, SupervisorReport in, then end of file
};

class ExecHost {
 public:
  ExecHost();
  // The host exits when its socket closes; supervisors go on until their own ends close.
  ~ExecHost();
  ExecHost(const ExecHost&) = delete;
  ExecHost& operator=(const ExecHost&) = delete;

  // Starts the program that encode_program wrote. `unavailable` when the system has no descriptors
  // or processes left; whether the program could be run is told by the SupervisorReport.
  Result<SpawnedProcess> spawn(const std::string& program);

  pid_t process() const { return process_; }

 private:
  bool launch();
  void reap();

  UniqueFd requests_;
  pid_t process_ = -1;
};

}  // namespace escapement::targets
