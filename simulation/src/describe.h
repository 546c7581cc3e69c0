// Actions and events as one line of text, for the trace and for its hash.
#pragma once

#include <string>

#include "escapement/engine/engine.h"

namespace escapement::simulation {

std::string describe(const engine::StoreRequest& request);
std::string describe(const engine::StoreAnswer& answer);
std::string describe(const engine::Reply& reply);
std::string describe(const engine::Notice& notice);
std::string describe(const engine::CommandBody& command);

}  // namespace escapement::simulation
