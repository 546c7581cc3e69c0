// Any text is a crontab: it is read within the limits, every remark has a line of the text, and
// every entry has a command. What can be planned has a unique name.
#include <set>
#include <string_view>

#include "crontab.h"
#include "escapement/base/check.h"
#include "import_plan.h"

using escapement::apps::Crontab;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (bool system : {false, true}) {
    escapement::Result<Crontab> crontab = escapement::apps::parse_crontab(text, {.system = system});
    if (!crontab.ok()) continue;
    for (const auto& entry : crontab->entries) {
      ESCAPEMENT_CHECK(!entry.command.empty() && entry.line >= 1);
      ESCAPEMENT_CHECK(entry.stdin_text.empty() || entry.stdin_text.back() == '\n');
      ESCAPEMENT_CHECK(entry.user.empty() != system);
    }
    for (const auto& problem : crontab->problems) {
      ESCAPEMENT_CHECK(problem.line >= 1 && !problem.text.empty());
    }
    auto plan = escapement::apps::plan_import(text, {.system = system, .zone = "UTC"});
    std::set<std::string> names;
    for (const auto& job : plan->jobs) ESCAPEMENT_CHECK(names.insert(job.name).second);
  }
  return 0;
}
