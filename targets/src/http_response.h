// Reads one HTTP/1.1 response from the bytes of a connection, by Boost.Beast's parser.
//
// Interim responses (1xx) are skipped. The body is kept up to kMaxOutputBytes; a body that goes on
// past kMaxResponseBytes ends the reading, and the connection cannot be used again. One thread at a
// time; knows nothing of sockets.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "escapement/base/result.h"
#include "http_outcome.h"

namespace escapement::targets {

inline constexpr std::size_t kMaxResponseBytes = 16 * 1024 * 1024;
inline constexpr std::size_t kMaxResponseHeaderBytes = 64 * 1024;
inline constexpr int kMaxInterimResponses = 16;

class ResponseReader {
 public:
  enum class Progress { more, done };

  // `is_head`: the response to HEAD has no body.
  explicit ResponseReader(bool is_head);
  ~ResponseReader();
  ResponseReader(ResponseReader&&) noexcept;

  // `invalid` when this is no HTTP response or its header is too large. `bytes` must not be empty.
  Result<Progress> feed(std::string_view bytes);
  // The peer has closed: done when the body ends so, else `unavailable`.
  Status feed_end();

  // Whether the connection can carry another request. Only when done.
  bool can_reuse() const;
  // Only when done, once.
  HttpResponse take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace escapement::targets
