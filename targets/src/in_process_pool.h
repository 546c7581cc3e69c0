// The threads that run functions of the embedding program (in_process.h).
//
// A bounded queue and kInProcessThreads threads under one mutex. Any thread may call; the sink is
// called by the pool's threads, or by the caller when nothing had to run.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

#include "escapement/engine/target_port.h"
#include "escapement/targets/in_process.h"

namespace escapement::targets {

class InProcessPool {
 public:
  InProcessPool(InProcessFunctions functions, engine::ResultSink sink);
  ~InProcessPool();

  void start(engine::Dispatch dispatch);
  void abort(engine::AttemptKey key);
  // Answers what waits, asks what runs to stop and waits for it.
  void shutdown();

 private:
  // nullopt: it waits for a thread now.
  std::optional<engine::AttemptResult> admit(engine::Dispatch dispatch);
  void work();
  engine::AttemptResult run(const engine::Dispatch& dispatch, std::stop_token stop);
  engine::AttemptResult judge(const engine::Dispatch& dispatch, AttemptOutcome outcome);

  const InProcessFunctions functions_;
  const engine::ResultSink sink_;
  std::mutex mutex_;  // guards all that follows but threads_
  std::condition_variable changed_;
  std::deque<engine::Dispatch> waiting_;
  std::map<engine::AttemptKey, std::stop_source> running_;
  std::set<engine::AttemptKey> aborted_;  // those of running_ that abort came for
  bool closing_ = false;
  std::once_flag joined_;
  std::vector<std::thread> threads_;  // none when there are no functions
};

}  // namespace escapement::targets
