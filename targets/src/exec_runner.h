// Runs commands: one thread with epoll serves all of them.
//
// Each command has a supervisor (exec_supervisor.h) and three descriptors here: its stdin, its
// output and the control socket. An attempt ends at the end of file of the control socket: then
// command and descendants are dead, and what the output pipe still holds is read without waiting,
// so a stray holder of the pipe cannot keep the attempt. Costs no thread and no wake-up per
// command. `start`, `abort` and `shutdown` may be called by any thread; the sink is called by the
// runner's thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "escapement/engine/target_port.h"
#include "exec_host.h"

namespace escapement::targets {

inline constexpr std::size_t kMaxCommands = 1024;  // at a time; more are failures to retry

struct ExecOptions {
  std::string data_folder;
  Duration kill_grace{};
};

class ExecRunner {
 public:
  ExecRunner(ExecOptions options, engine::ResultSink sink);
  ~ExecRunner();

  void start(engine::Dispatch dispatch);
  void abort(engine::AttemptKey key);
  // Stops every command and returns when the thread has ended; later starts are answered at once.
  void shutdown();

 private:
  struct Command;
  using Message = std::variant<engine::Dispatch, engine::AttemptKey>;

  bool enqueue(Message message);
  void run();
  void take_messages();
  void begin(engine::Dispatch dispatch);
  bool watch(const Command& command);
  void stop(Command& command);
  void stop_all();
  void on_event(std::uint64_t tag);
  void on_control(Command& command);
  void finish(Command& command);

  const ExecOptions options_;
  const engine::ResultSink sink_;
  ExecHost host_;
  UniqueFd epoll_;
  UniqueFd inbox_ready_;  // an eventfd
  std::mutex mutex_;      // guards inbox_ and closing_
  std::vector<Message> inbox_;
  bool closing_ = false;
  std::map<std::uint64_t, std::unique_ptr<Command>> commands_;  // the thread's own, from here on
  std::map<engine::AttemptKey, std::uint64_t> by_key_;
  std::uint64_t next_id_ = 1;
  bool stopping_ = false;
  std::once_flag joined_;
  std::thread thread_;
};

}  // namespace escapement::targets
