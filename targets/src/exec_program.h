// From a Dispatch to the file that a supervisor maps: everything that may allocate, look up users
// or fail with a sentence is done here, in the server, before any process exists.
//
// The environment is a small one (PATH, HOME, SHELL, LOGNAME, USER, LANG), then the job's own, then
// ESCAPEMENT_JOB, _RUN, _DUE, _ATTEMPT and _TERM, which cannot be overridden. Pure but for looking
// up the user; any thread.
#pragma once

#include <string>

#include "escapement/base/result.h"
#include "escapement/engine/target_port.h"
#include "exec_supervisor.h"

namespace escapement::targets {

// The bytes of the file. `invalid` or `denied` when the target cannot be run here at all.
Result<std::string> encode_program(const engine::Dispatch& dispatch,
                                   const std::string& data_folder);

// "exit 3", "killed by signal 9 (SIGKILL)", "cannot run \"x\": No such file or directory".
std::string describe(const SupervisorReport& report, const domain::ExecTarget& target);

// Whether running the same again could end differently: not when the program is not there.
bool is_retryable(const SupervisorReport& report);

}  // namespace escapement::targets
