// ReplyPost: how the engine's replies reach the server's thread, and stop to when it is gone.
//
// Reply handlers live in the engine and may outlive the server; they hold this, not the server. Any
// thread may call anything.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <mutex>
#include <utility>

namespace escapement::api {

class ReplyPost {
 public:
  explicit ReplyPost(boost::asio::io_context& context) : context_(&context) {}

  template <typename Function>
  void post(Function function) {
    const std::lock_guard lock(mutex_);
    if (context_) boost::asio::post(*context_, std::move(function));
  }

  // Returns when no post is going on; none follows.
  void close() {
    const std::lock_guard lock(mutex_);
    context_ = nullptr;
  }

 private:
  std::mutex mutex_;  // guards context_ against its destruction
  boost::asio::io_context* context_;
};

}  // namespace escapement::api
