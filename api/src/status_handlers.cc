#include "handlers.h"
#include "metrics_text.h"

namespace escapement::api {
namespace {

Response readiness(const engine::HealthReply& health) {
  if (health.ready) return json_response(200, {{"ready", true}});
  return error_response(Error{ErrorCode::unavailable, health.reason, ""});
}

}  // namespace

// Answers while the process lives and serves; whether it can do its work is readyz's matter.
Outcome healthz(const Context&) { return json_response(200, {{"status", "ok"}}); }

Outcome readyz(const Context&) {
  return Call{engine::ShowHealth{}, [](const engine::ReplyBody& body) {
                return readiness(std::get<engine::HealthReply>(body));
              }};
}

Outcome metrics(const Context&) {
  return Call{engine::ShowMetrics{}, [](const engine::ReplyBody& body) {
                Response response;
                response.content_type = kMetricsContentType;
                response.body = metrics_text(std::get<engine::MetricsReply>(body));
                return response;
              }};
}

}  // namespace escapement::api
