// The version of this build.
#pragma once

namespace escapement::apps {

inline constexpr const char* kVersion = ESCAPEMENT_VERSION;

}  // namespace escapement::apps
