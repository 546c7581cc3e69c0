// What a response means for the attempt.
//
// 2xx succeeds. 408, 429 and 5xx may be tried again, and Retry-After (RFC 9110, 10.2.3) is honoured
// up to kMaxRetryAfter. Everything else is final; redirects are not followed, because the address
// behind them is not the one the job was allowed to use. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "escapement/engine/target_port.h"

namespace escapement::targets {

inline constexpr Duration kMaxRetryAfter = std::chrono::hours{24};

struct HttpResponse {
  int status = 0;
  std::string reason;
  std::string retry_after;  // the header's text, empty when there is none
  std::string location;
  std::string body;  // up to kMaxOutputBytes
};

engine::AttemptResult judge_response(engine::AttemptKey key, HttpResponse response, Instant now);

// Seconds, or an HTTP-date (IMF-fixdate); nullopt for anything else.
std::optional<Duration> parse_retry_after(std::string_view text, Instant now);

}  // namespace escapement::targets
