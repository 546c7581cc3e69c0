// The engine's numbers in the text format of Prometheus, version 0.0.4. Pure; any thread.
#pragma once

#include <string>

#include "escapement/engine/command.h"

namespace escapement::api {

inline constexpr const char* kMetricsContentType = "text/plain; version=0.0.4; charset=utf-8";

std::string metrics_text(const engine::MetricsReply& metrics);

}  // namespace escapement::api
