#include "in_process_pool.h"

#include <signal.h>

#include <algorithm>
#include <exception>

#include "attempt_results.h"
#include "output_buffer.h"

namespace escapement::targets {
namespace {

const domain::InProcessTarget& target_of(const engine::Dispatch& dispatch) {
  return std::get<domain::InProcessTarget>(*dispatch.target);
}

InProcessCall call_of(const engine::Dispatch& dispatch, std::stop_token stop) {
  const domain::InProcessTarget& target = target_of(dispatch);
  return {.function = target.name,
          .app = dispatch.app,
          .name = dispatch.name,
          .run_id = dispatch.run_id,
          .payload = dispatch.payload.value_or(target.payload),
          .due = dispatch.due,
          .attempt = dispatch.key.number,
          .term = dispatch.term,
          .stop = std::move(stop)};
}

AttemptOutcome call(const InProcessFunction& function, const InProcessCall& call) {
  try {
    return function(call);
  } catch (const std::exception& error) {
    return {.succeeded = false, .error = std::string("exception: ") + error.what()};
  } catch (...) {
    return {.succeeded = false, .error = "exception of unknown type"};
  }
}

void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

}  // namespace

InProcessPool::InProcessPool(InProcessFunctions functions, engine::ResultSink sink)
    : functions_(std::move(functions)), sink_(std::move(sink)) {
  const std::size_t threads = functions_.empty() ? 0 : kInProcessThreads;
  for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

InProcessPool::~InProcessPool() { shutdown(); }

void InProcessPool::start(engine::Dispatch dispatch) {
  if (auto answer = admit(std::move(dispatch))) sink_(std::move(*answer));
}

std::optional<engine::AttemptResult> InProcessPool::admit(engine::Dispatch dispatch) {
  const std::string& name = target_of(dispatch).name;
  if (!functions_.contains(name)) {
    return refused(dispatch.key, "no function \"" + name + "\" in this program");
  }
  const std::lock_guard lock(mutex_);
  if (closing_) return failed(dispatch.key, kShuttingDown);
  if (waiting_.size() >= kMaxInProcessWaiting) {
    return failed(dispatch.key,
                  "more than " + std::to_string(kMaxInProcessWaiting) + " function calls wait");
  }
  waiting_.push_back(std::move(dispatch));
  changed_.notify_one();
  return std::nullopt;
}

void InProcessPool::abort(engine::AttemptKey key) {
  std::optional<engine::AttemptResult> answer;
  std::optional<std::stop_source> stop;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(waiting_, key, &engine::Dispatch::key);
    if (found != waiting_.end()) {
      answer = timed_out(key, found->timeout);
      waiting_.erase(found);
    } else if (const auto running = running_.find(key); running != running_.end()) {
      aborted_.insert(key);
      stop = running->second;
    }
  }
  if (stop) stop->request_stop();  // outside the lock: it runs callbacks of the function
  if (answer) sink_(std::move(*answer));
}

void InProcessPool::shutdown() {
  std::deque<engine::Dispatch> dropped;
  std::vector<std::stop_source> stops;
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    dropped.swap(waiting_);
    for (auto& [key, stop] : running_) stops.push_back(stop);
    changed_.notify_all();
  }
  for (std::stop_source& stop : stops) stop.request_stop();
  for (const engine::Dispatch& dispatch : dropped) sink_(failed(dispatch.key, kShuttingDown));
  std::call_once(joined_, [this] {
    for (std::thread& thread : threads_) thread.join();
  });
}

void InProcessPool::work() {
  block_signals();
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const engine::Dispatch dispatch = std::move(waiting_.front());
    waiting_.pop_front();
    std::stop_source source;
    running_.emplace(dispatch.key, source);
    lock.unlock();
    sink_(run(dispatch, source.get_token()));
  }
}

engine::AttemptResult InProcessPool::run(const engine::Dispatch& dispatch, std::stop_token stop) {
  const InProcessFunction& function = functions_.find(target_of(dispatch).name)->second;
  return judge(dispatch, call(function, call_of(dispatch, std::move(stop))));
}

// What was aborted and yet succeeded has succeeded: the work is done.
engine::AttemptResult InProcessPool::judge(const engine::Dispatch& dispatch,
                                           AttemptOutcome outcome) {
  bool aborted = false;
  {
    const std::lock_guard lock(mutex_);
    running_.erase(dispatch.key);
    aborted = aborted_.erase(dispatch.key) > 0;
  }
  engine::AttemptResult result{.key = dispatch.key};
  if (!outcome.succeeded) {
    result = failed(dispatch.key, outcome.error.empty() ? "failed" : std::move(outcome.error));
    result.retryable = outcome.retryable;
  }
  if (!outcome.succeeded && aborted) result = timed_out(dispatch.key, dispatch.timeout);
  OutputBuffer output;
  output.append(outcome.output);
  result.output = output.take();
  return result;
}

}  // namespace escapement::targets
