// An engine that says yes to everything, for tests: each command gets a reply of the right shape.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "escapement/engine/runner.h"

namespace escapement::api {

inline constexpr const char* kStore = "abc234defg";

struct YesReply {
  using Body = engine::ReplyBody;

  static domain::Run run() {
    domain::Run run;
    run.id = {42};
    run.app = "shop";
    return run;
  }
  static domain::Job job() {
    domain::Job job;
    job.app = "shop";
    job.name = "nightly";
    job.spec = std::make_shared<const domain::JobSpec>(*domain::job_spec_from_json(
        *parse_json(R"({"schedule":{"manual":true},"target":{"http":{"url":"http://h"}}})")));
    return job;
  }

  Body operator()(const engine::UpsertJob&) const { return engine::JobReply{job(), true}; }
  Body operator()(const engine::DeleteJob&) const { return engine::JobReply{job(), false}; }
  Body operator()(const engine::PauseJob&) const { return engine::JobReply{job(), false}; }
  Body operator()(const engine::ResumeJob&) const { return engine::JobReply{job(), false}; }
  Body operator()(const engine::ShowJob&) const { return engine::JobReply{job(), false}; }
  Body operator()(const engine::ListJobs&) const { return engine::JobPage{{job()}, true}; }
  Body operator()(const engine::TriggerJob&) const { return engine::RunsReply{{run()}, {true}}; }
  Body operator()(const engine::PutTimers& put) const {
    engine::RunsReply reply;
    reply.runs.assign(put.timers.size(), run());
    reply.created.assign(put.timers.size(), true);
    return reply;
  }
  Body operator()(const engine::CancelTimer&) const { return engine::RunReply{run(), {}}; }
  Body operator()(const engine::ShowTimer&) const { return engine::RunReply{run(), {}}; }
  Body operator()(const engine::QueryRuns&) const { return engine::RunListReply{{run()}, true}; }
  Body operator()(const engine::ShowRun&) const {
    return engine::RunReply{run(), {domain::Attempt{}}};
  }
  Body operator()(const engine::ShowHealth&) const { return engine::HealthReply{true, ""}; }
  Body operator()(const engine::ShowMetrics&) const { return engine::MetricsReply{}; }
};

inline engine::Reply yes(const engine::CommandBody& command) {
  return {0, std::visit(YesReply{}, command), {}};
}

// Answers at once, or keeps what was asked until `answer` is called.
class FakeEngine final : public engine::CommandPort {
 public:
  explicit FakeEngine(bool keeps = false) : keeps_(keeps) {}

  void submit(engine::CommandBody body, engine::ReplyHandler handler) override {
    if (!keeps_) return handler(yes(body));
    const std::lock_guard lock(mutex_);
    kept_.emplace_back(std::move(body), std::move(handler));
    arrived_.notify_all();
  }

  // Waits until there is a command, and answers it from the caller's thread.
  void answer() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !kept_.empty(); });
    auto [body, handler] = std::move(kept_.front());
    kept_.pop_front();
    lock.unlock();
    handler(yes(body));
  }

  void wait_for_command() {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return !kept_.empty(); });
  }

 private:
  const bool keeps_;
  std::mutex mutex_;  // guards kept_
  std::condition_variable arrived_;
  std::deque<std::pair<engine::CommandBody, engine::ReplyHandler>> kept_;
};

}  // namespace escapement::api
