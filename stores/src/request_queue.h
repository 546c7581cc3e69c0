// The inbox of one store thread: requests in the order of submission, taken in batches.
//
// `push` may be called by any thread, `take` and `is_empty` by the thread that owns the queue. The
// engine bounds what it has in flight (EngineOptions::max_commands), so the queue itself does not.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "escapement/engine/store_port.h"

namespace escapement::stores {

struct QueuedRequest {
  engine::Ticket ticket = 0;
  engine::StoreRequest request;
};

// What one batch holds at most; a single request may be larger and then comes alone.
struct BatchLimits {
  std::size_t rows = 1'000;
  std::size_t requests = 256;
};

class RequestQueue {
 public:
  void push(QueuedRequest request);
  // Waits for requests; empty once the queue is closed and everything was taken.
  std::vector<QueuedRequest> take(BatchLimits limits = {});
  bool is_empty() const;
  void close();

 private:
  mutable std::mutex mutex_;  // guards the two below
  std::deque<QueuedRequest> requests_;
  bool closed_ = false;
  std::condition_variable changed_;
};

}  // namespace escapement::stores
