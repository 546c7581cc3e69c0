// The server's log: lines on stderr. The only place that knows spdlog. Any thread.
#pragma once

#include <string>

namespace escapement::apps {

void log_info(const std::string& text);
void log_warning(const std::string& text);
void log_error(const std::string& text);

}  // namespace escapement::apps
