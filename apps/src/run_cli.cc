#include "escapement/apps/run_cli.h"

#include <ostream>

#include "parse.h"

namespace escapement::apps {

int run_cli(const std::vector<std::string>& args, Console& console) {
  ParsedLine parsed = parse_command_line(args);
  console.out << parsed.out;
  console.err << parsed.error;
  if (!parsed.verb) return parsed.exit_code;
  return parsed.verb(console);
}

}  // namespace escapement::apps
