// `escapement job import FILE`: shows what it will do, asks, and does it.
#pragma once

#include <string>

#include "api_client.h"
#include "import_plan.h"

namespace escapement::apps {

struct ImportOptions {
  ServerOptions server;
  std::string file;     // "-": standard input
  bool system = false;  // also where the path says so: /etc/crontab, /etc/cron.d/…
  bool dry_run = false;
  bool yes = false;
  std::string prefix;  // of job names; "": from the file's name
  std::string zone;    // "": the machine's
};

int job_import(const ImportOptions& options, Console& console);

}  // namespace escapement::apps
