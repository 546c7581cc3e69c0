#include "state.h"

namespace escapement::engine {

void when_free(const JobPtr& job, std::function<void()> work) {
  if (!job->busy && job->queue.empty()) return work();
  job->queue.push_back(std::move(work));
}

void release(const JobPtr& job) {
  job->busy = false;
  while (!job->busy && !job->queue.empty()) {
    std::function<void()> next = std::move(job->queue.front());
    job->queue.pop_front();
    next();
  }
}

}  // namespace escapement::engine
