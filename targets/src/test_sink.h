// What the tests of this room share: a sink that can be waited for, and dispatches.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>

#include "escapement/base/clock.h"
#include "escapement/engine/target_port.h"

namespace escapement::targets {

// Fails the test rather than hang when nothing comes.
inline constexpr std::chrono::seconds kTestPatience{60};

class TestSink {
 public:
  engine::ResultSink sink() {
    return [this](engine::AttemptResult result) {
      const std::lock_guard lock(mutex_);
      ++count_;
      results_[result.key].push_back(std::move(result));
      changed_.notify_all();
    };
  }
  engine::AttemptResult wait(engine::AttemptKey key) {
    std::unique_lock lock(mutex_);
    const bool came =
        changed_.wait_for(lock, kTestPatience, [&] { return !results_[key].empty(); });
    EXPECT_TRUE(came) << "no result of run " << key.run.value;
    return came ? results_[key].front() : engine::AttemptResult{};
  }
  engine::AttemptResult wait(const engine::Dispatch& dispatch) { return wait(dispatch.key); }
  void wait_for_count(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, kTestPatience, [&] { return count_ >= count; }));
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }
  std::size_t count(engine::AttemptKey key) {
    const std::lock_guard lock(mutex_);
    return results_[key].size();
  }

 private:
  std::mutex mutex_;  // guards all
  std::condition_variable changed_;
  std::map<engine::AttemptKey, std::vector<engine::AttemptResult>> results_;
  std::size_t count_ = 0;
};

inline engine::Dispatch make_dispatch(domain::Target target, std::int64_t run = 1) {
  return {.key = {domain::RunId{run}, 1},
          .term = 7,
          .run_id = "store-" + std::to_string(run),
          .app = "app",
          .name = "nightly",
          .due = from_micros(1'774'747'800'000'250),  // 2026-03-29T01:30:00.000250Z
          .timeout = std::chrono::seconds{30},
          .target = std::make_shared<const domain::Target>(std::move(target))};
}

}  // namespace escapement::targets
