#include <ostream>

#include "console.h"
#include "cron_verbs.h"
#include "escapement/calendar/describe.h"

namespace escapement::apps {
namespace {

using calendar::Cron;

void print_warnings(std::ostream& out, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) out << "warning: " << one_line(warning) << '\n';
}

Json head_of(const Cron& cron) {
  return {{"expr", cron.text()},
          {"dialect", calendar::to_string(cron.dialect())},
          {"tz", cron.zone().name()}};
}

}  // namespace

int cron_explain(const CronOptions& options, Console& console) {
  Result<Cron> cron = read_cron(options);
  if (!cron.ok()) return report(console, cron.error());
  Result<Instant> from = read_from(options, console.clock.now().wall);
  if (!from.ok()) return report(console, from.error());
  const std::vector<std::string> warnings = calendar::lint(*cron, *from);
  if (options.json) {
    Json json = head_of(*cron);
    json["description"] = calendar::describe(*cron);
    json["next"] = next_fires(*cron, *from, kDefaultCronCount);
    json["warnings"] = warnings;
    console.out << dump_json(json) << '\n';
    return kExitFine;
  }
  console.out << calendar::describe(*cron) << '\n';
  std::optional<Instant> at = cron->next(*from);
  for (std::int64_t left = kDefaultCronCount; at && left > 0; --left, at = cron->next(*at)) {
    console.out << "  " << fire_for_people(*at, cron->zone()) << '\n';
  }
  print_warnings(console.out, warnings);
  return kExitFine;
}

int cron_lint(const CronOptions& options, Console& console) {
  Result<Cron> cron = read_cron(options);
  if (!cron.ok()) return report(console, cron.error());
  Result<Instant> from = read_from(options, console.clock.now().wall);
  if (!from.ok()) return report(console, from.error());
  const std::vector<std::string> warnings = calendar::lint(*cron, *from);
  if (options.json) {
    Json json = head_of(*cron);
    json["warnings"] = warnings;
    console.out << dump_json(json) << '\n';
  } else {
    print_warnings(console.out, warnings);
  }
  return kExitFine;
}

}  // namespace escapement::apps
