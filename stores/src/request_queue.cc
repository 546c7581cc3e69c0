#include "request_queue.h"

#include <algorithm>

namespace escapement::stores {

namespace {

std::size_t rows_of(const QueuedRequest& queued) {
  const auto* write = std::get_if<engine::Write>(&queued.request);
  return write ? std::max<std::size_t>(1, write->mutations.size()) : 0;
}

}  // namespace

void RequestQueue::push(QueuedRequest request) {
  {
    std::lock_guard lock(mutex_);
    requests_.push_back(std::move(request));
  }
  changed_.notify_one();
}

std::vector<QueuedRequest> RequestQueue::take(BatchLimits limits) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !requests_.empty(); });
  std::vector<QueuedRequest> batch;
  std::size_t rows = 0;
  while (!requests_.empty() && batch.size() < limits.requests) {
    rows += rows_of(requests_.front());
    if (rows > limits.rows && !batch.empty()) break;
    batch.push_back(std::move(requests_.front()));
    requests_.pop_front();
  }
  return batch;
}

bool RequestQueue::is_empty() const {
  std::lock_guard lock(mutex_);
  return requests_.empty();
}

void RequestQueue::close() {
  {
    std::lock_guard lock(mutex_);
    closed_ = true;
  }
  changed_.notify_one();
}

}  // namespace escapement::stores
