// The zone that this machine lives in: /etc/timezone, else where /etc/localtime points, else UTC.
#pragma once

#include <string>

namespace escapement::apps {

// The name of a zone that can be loaded. `etc` is the folder to look into; tests have their own.
std::string machine_zone(const std::string& etc = "/etc");

}  // namespace escapement::apps
