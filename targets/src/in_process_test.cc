#include <gtest/gtest.h>

#include <latch>
#include <semaphore>
#include <stdexcept>

#include "escapement/targets/router.h"
#include "test_sink.h"

namespace escapement::targets {
namespace {

using domain::AttemptState;

class InProcess : public testing::Test {
 protected:
  Targets& targets(InProcessFunctions functions) {
    targets_.emplace(TargetOptions{.functions = std::move(functions)}, *clock_, sink_.sink());
    return *targets_;
  }
  static engine::Dispatch call(std::string name, std::int64_t run = 1) {
    return make_dispatch(domain::InProcessTarget{std::move(name), "payload"}, run);
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  TestSink sink_;
  std::optional<Targets> targets_;
};

TEST_F(InProcess, FunctionSeesTheAttemptAndAnswersIt) {
  InProcessCall seen;
  targets({{"f", [&](const InProcessCall& call) {
              seen = call;
              return AttemptOutcome{.output = "done"};
            }}});
  targets_->start(call("f"));
  const auto result = sink_.wait(call("f"));
  EXPECT_EQ(result.state, AttemptState::succeeded);
  EXPECT_EQ(result.output, "done");
  EXPECT_EQ(seen.payload, "payload");
  EXPECT_EQ(seen.run_id, "store-1");
  EXPECT_EQ(seen.name, "nightly");
  EXPECT_EQ(seen.term, 7);
  EXPECT_EQ(seen.attempt, 1);
  engine::Dispatch triggered = call("f", 2);
  triggered.payload = "replaced";
  targets_->start(triggered);
  sink_.wait(triggered);
  EXPECT_EQ(seen.payload, "replaced");
}

TEST_F(InProcess, FailuresAndExceptionsAreFailures) {
  targets(
      {{"final",
        [](const InProcessCall&) {
          return AttemptOutcome{.succeeded = false, .retryable = false, .error = "no"};
        }},
       {"throws", [](const InProcessCall&) -> AttemptOutcome { throw std::runtime_error("x"); }},
       {"odd", [](const InProcessCall&) -> AttemptOutcome { throw 1; }}});
  targets_->start(call("final", 1));
  targets_->start(call("throws", 2));
  targets_->start(call("odd", 3));
  targets_->start(call("unknown", 4));
  const auto final = sink_.wait(call("final", 1));
  EXPECT_EQ(final.state, AttemptState::failed);
  EXPECT_FALSE(final.retryable);
  EXPECT_EQ(final.error, "no");
  EXPECT_EQ(sink_.wait(call("throws", 2)).error, "exception: x");
  EXPECT_TRUE(sink_.wait(call("throws", 2)).retryable);
  EXPECT_EQ(sink_.wait(call("odd", 3)).error, "exception of unknown type");
  const auto unknown = sink_.wait(call("unknown", 4));
  EXPECT_EQ(unknown.error, "no function \"unknown\" in this program");
  EXPECT_FALSE(unknown.retryable);
}

AttemptOutcome wait_for_stop(const InProcessCall& call) {
  std::binary_semaphore stopped(0);
  const std::stop_callback callback(call.stop, [&] { stopped.release(); });
  stopped.acquire();
  return {.succeeded = false};
}

TEST_F(InProcess, AbortAsksAndReportsWhenTheFunctionReturns) {
  std::binary_semaphore begun(0);
  targets({{"f", [&](const InProcessCall& call) {
              begun.release();
              return wait_for_stop(call);
            }}});
  targets_->start(call("f"));
  begun.acquire();
  EXPECT_EQ(sink_.count(), 0u);
  targets_->abort(call("f").key);
  const auto result = sink_.wait(call("f"));
  EXPECT_EQ(result.state, AttemptState::timed_out);
  EXPECT_EQ(result.error, "timed out after 30s");
  targets_->abort(call("f").key);
  targets_->shutdown();
  EXPECT_EQ(sink_.count(), 1u);
}

TEST_F(InProcess, WaitingCallsAreAbortedWithoutRunning) {
  std::latch begun(kInProcessThreads);
  std::atomic<int> ran = 0;
  targets({{"block",
            [&](const InProcessCall& call) {
              begun.count_down();
              return wait_for_stop(call);
            }},
           {"count", [&](const InProcessCall&) {
              ++ran;
              return AttemptOutcome{};
            }}});
  const auto blocked = static_cast<std::int64_t>(kInProcessThreads);
  for (std::int64_t run = 1; run <= blocked; ++run) targets_->start(call("block", run));
  begun.wait();
  targets_->start(call("count", 100));
  targets_->start(call("count", 101));
  targets_->abort(call("count", 100).key);
  EXPECT_EQ(sink_.wait(call("count", 100)).state, AttemptState::timed_out);
  targets_->shutdown();
  EXPECT_EQ(sink_.wait(call("count", 101)).error, "the server is shutting down");
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(sink_.count(), kInProcessThreads + 2);
  targets_->start(call("count", 102));
  EXPECT_EQ(sink_.wait(call("count", 102)).state, AttemptState::failed);
}

TEST_F(InProcess, ExecIsRefusedWhereItIsNotAllowed) {
  targets({});
  const auto dispatch = make_dispatch(domain::ExecTarget{.argv = {"/bin/true"}});
  targets_->start(dispatch);
  const auto result = sink_.wait(dispatch);
  EXPECT_EQ(result.state, AttemptState::failed);
  EXPECT_FALSE(result.retryable);
  EXPECT_EQ(result.error, "exec targets are off: start the server with --allow-exec");
}

}  // namespace
}  // namespace escapement::targets
