// Targets: runs attempts, each by the kind of its target (http, exec, in_process).
//
// Every start is answered by exactly one AttemptResult through the sink, whatever happens: success,
// failure, a refusal, an abort or the shutdown. `start` and `abort` only enqueue and may be called
// by any thread; the sink is called by the threads of the targets (one for http, one for exec, four
// for in_process) and must only enqueue as well, and never destroy the Targets. A refusal (exec is
// off, an address is private, a function is unknown) is a final failure that says why. An abort is
// answered with timed_out.
//
// Constructing it with exec allowed forks one small process; do that early, while the server is
// small. It holds one descriptor per attempt of http and three of exec.
#pragma once

#include <memory>
#include <string>

#include "escapement/base/clock.h"
#include "escapement/engine/target_port.h"
#include "escapement/targets/in_process.h"

namespace escapement::targets {

struct TargetOptions {
  bool allow_exec = false;
  // True when the server itself listens on loopback only, or when the configuration says so.
  bool allow_private_addresses = false;
  std::string data_folder = ".";  // working directory of commands without one of their own
  std::string ca_file;            // PEM certificates to trust besides the system's; may be empty
  InProcessFunctions functions;
  Duration kill_grace = std::chrono::seconds{2};  // between SIGTERM and SIGKILL
};

class ExecRunner;
class HttpClient;
class InProcessPool;

class Targets : public engine::TargetPort {
 public:
  // `clock` must outlive it. An unreadable `ca_file` fails every https attempt, by name.
  Targets(TargetOptions options, Clock& clock, engine::ResultSink sink);
  // Shuts down and joins all threads.
  ~Targets() override;

  void start(engine::Dispatch dispatch) override;
  void abort(engine::AttemptKey key) override;

  // Ends everything and returns when every attempt has been answered: commands get SIGTERM and
  // after the grace SIGKILL, connections are closed, functions are asked to stop and waited for.
  // What was running is answered as a failure that may be retried; so is every later start.
  void shutdown();

 private:
  engine::ResultSink sink_;
  std::unique_ptr<ExecRunner> exec_;  // none when exec is not allowed
  std::unique_ptr<HttpClient> http_;
  std::unique_ptr<InProcessPool> functions_;
};

}  // namespace escapement::targets
