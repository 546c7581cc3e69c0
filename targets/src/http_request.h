// The bytes of an http attempt's request.
//
// Always HTTP/1.1 with Content-Length, never chunked. Every request carries Idempotency-Key (the
// run id) and the Escapement-* headers, so a receiver can drop repetitions and reject a stale term;
// the job's own headers may neither replace those nor the ones that frame the message. Names
// outside printable ASCII travel percent-encoded in Escapement-Job. Pure functions; any thread.
#pragma once

#include <string>
#include <string_view>

#include "escapement/base/result.h"
#include "escapement/engine/target_port.h"
#include "escapement/targets/url.h"

namespace escapement::targets {

struct HttpRequest {
  Url url;
  std::string bytes;
  bool is_head = false;  // its response has no body, whatever its headers say
};

// `invalid` naming the field (method, url, headers) when the target cannot be sent.
Result<HttpRequest> build_request(const engine::Dispatch& dispatch);

}  // namespace escapement::targets
