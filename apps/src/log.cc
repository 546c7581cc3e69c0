#include "log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "console.h"

namespace escapement::apps {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = std::make_shared<spdlog::logger>("escapement",
                                                 std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
    return made;
  }();
  return *instance;
}

}  // namespace

void log_info(const std::string& text) { logger().info("{}", one_line(text)); }
void log_warning(const std::string& text) { logger().warn("{}", one_line(text)); }
void log_error(const std::string& text) { logger().error("{}", one_line(text)); }

}  // namespace escapement::apps
