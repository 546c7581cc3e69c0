// `escapement serve`: a ServeApp, until a signal ends it.
#pragma once

#include <string>

#include "escapement/apps/run_cli.h"
#include "escapement/apps/serve_app.h"

namespace escapement::apps {

// How long past the drain a server may take to end; then the process exits as it is, which loses
// nothing: the next start recovers from the store.
inline constexpr Duration kShutdownMargin = std::chrono::seconds{4};

struct ServeLine {
  ServeOptions options;
  std::string drain = "5s";
};

int serve(const ServeLine& line, Console& console);

}  // namespace escapement::apps
