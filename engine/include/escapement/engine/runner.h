// Runner: the thread under an engine, and the one inbox where all other threads meet it.
//
// Stores, targets and API threads only enqueue; the runner's thread takes what is there, calls
// `step`, carries the actions out and waits on the clock for the next event or deadline. Replies
// are given to their handlers on the runner's thread: a handler must only enqueue. Everything but
// the constructor and `start` may be called by any thread.
#pragma once

#include <functional>
#include <memory>

#include "escapement/base/clock.h"
#include "escapement/engine/engine.h"

namespace escapement::engine {

using ReplyHandler = std::function<void(Reply)>;
using NoticeHandler = std::function<void(const Notice&)>;

// What an API needs of an engine.
class CommandPort {
 public:
  virtual ~CommandPort() = default;
  // The handler is called exactly once, from another thread; must only enqueue. After the runner
  // has stopped it is called at once with `unavailable`.
  virtual void submit(CommandBody body, ReplyHandler handler) = 0;
};

class Runner final : public CommandPort {
 public:
  Runner(Clock& clock, NoticeHandler on_notice);
  ~Runner() override;

  // Sinks to construct stores and targets with; usable before `start` and after `stop`.
  StoreSink store_sink();
  ResultSink result_sink();

  // Starts the thread. Store and targets must outlive the runner.
  void start(EngineOptions options, Recovered recovered, Store& store, TargetPort& targets);

  void submit(CommandBody body, ReplyHandler handler) override;

  // Dispatches nothing more, waits up to `grace` for what is in flight, aborts the rest, waits for
  // the store and ends the thread. Idempotent.
  void stop(Duration grace);

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace escapement::engine
