#include "import_plan.h"

#include <algorithm>

#include "command_name.h"
#include "cron_verbs.h"
#include "escapement/calendar/describe.h"
#include "escapement/domain/codec.h"

namespace escapement::apps {
namespace {

using calendar::Cron;
using calendar::Dialect;
using calendar::Zone;

Json environment_of(const CrontabEntry& entry) {
  Json env = *entry.variables;
  env["SHELL"] = entry.shell;
  if (!env.contains("PATH")) env["PATH"] = kCronPath;
  return env;
}

Json exec_of(const CrontabEntry& entry) {
  Json exec{{"argv", {entry.shell, "-c", entry.command}}, {"env", environment_of(entry)}};
  if (!entry.stdin_text.empty()) exec["stdin"] = entry.stdin_text;
  if (!entry.user.empty()) exec["user"] = entry.user;
  auto home = entry.variables->find("HOME");
  if (home != entry.variables->end() && home->second.starts_with('/')) exec["cwd"] = home->second;
  return exec;
}

Json spec_of(const CrontabEntry& entry, const Cron& cron) {
  return {{"schedule",
           {{"cron", cron.text()},
            {"dialect", calendar::to_string(cron.dialect())},
            {"tz", cron.zone().name()}}},
          {"target", {{"exec", exec_of(entry)}}},
          {"retry", {{"max_attempts", 1}}},
          {"timeout", format_duration(domain::kMaxTimeout)},
          {"catch_up", {{"policy", "latest"}}},
          {"overlap", {{"policy", "allow"}}},
          {"description", entry.description}};
}

Result<Cron> cron_of(const CrontabEntry& entry, const std::string& default_zone) {
  Result<Zone> zone = Zone::load(entry.zone.empty() ? default_zone : entry.zone);
  if (!zone.ok()) return zone.error();
  return Cron::parse(entry.schedule, Dialect::kUnix, *zone);
}

bool is_utf8(std::string_view text) {
  try {
    static_cast<void>(Json(text).dump());
    return true;
  } catch (const Json::exception&) {
    return false;
  }
}

// Texts that JSON cannot carry would arrive as other commands.
bool is_carried(const CrontabEntry& entry) {
  return is_utf8(entry.command) && is_utf8(entry.stdin_text) && is_utf8(entry.user) &&
         std::all_of(entry.variables->begin(), entry.variables->end(),
                     [](const auto& item) { return is_utf8(item.second); });
}

class Planner {
 public:
  Planner(ImportSettings settings, Crontab crontab) : settings_(std::move(settings)) {
    plan_.problems = std::move(crontab.problems);
    plan_.notes = std::move(crontab.notes);
  }

  void add(CrontabEntry entry) {
    if (!is_carried(entry)) return problem(entry, "the command or a variable is no UTF-8");
    if (!is_utf8(entry.description)) entry.description.clear();
    Result<Cron> cron = cron_of(entry, settings_.zone);
    if (!cron.ok()) return problem(entry, cron.error().message);
    PlannedJob job{.line = entry.line, .spec = spec_of(entry, *cron), .command = entry.command};
    if (Result<domain::JobSpec> spec = domain::job_spec_from_json(job.spec); !spec.ok()) {
      return problem(entry, spec.error().field + ": " + spec.error().message);
    }
    job.name = names_.take(name_of(entry));
    job.when = calendar::describe(*cron);
    if (auto due = cron->next(settings_.now)) job.next_due = format_local(*due, cron->zone());
    plan_.jobs.push_back(std::move(job));
  }

  ImportPlan finish() && {
    std::stable_sort(plan_.problems.begin(), plan_.problems.end(),
                     [](const auto& a, const auto& b) { return a.line < b.line; });
    return std::move(plan_);
  }

 private:
  void problem(const CrontabEntry& entry, std::string text) {
    plan_.problems.push_back({entry.line, std::move(text)});
  }

  // "php" and "php-fpm-clean" do not say "php" twice.
  std::string name_of(const CrontabEntry& entry) const {
    std::string name = command_name(entry.command);
    if (settings_.prefix.empty() || name.starts_with(settings_.prefix)) return name;
    return settings_.prefix + '-' + name;
  }

  ImportSettings settings_;
  UniqueNames names_;
  ImportPlan plan_;
};

Json remarks_json(const std::vector<CrontabRemark>& remarks, const char* field) {
  Json list = Json::array();
  for (const CrontabRemark& remark : remarks) {
    list.push_back({{"line", remark.line}, {field, remark.text}});
  }
  return list;
}

}  // namespace

Result<ImportPlan> plan_import(std::string_view text, const ImportSettings& settings) {
  Result<Crontab> crontab = parse_crontab(text, {.system = settings.system});
  if (!crontab.ok()) return crontab.error();
  std::vector<CrontabEntry> entries = std::move(crontab->entries);
  Planner planner(settings, std::move(*crontab));
  for (CrontabEntry& entry : entries) planner.add(std::move(entry));
  return std::move(planner).finish();
}

Json to_json(const ImportPlan& plan) {
  Json jobs = Json::array();
  for (const PlannedJob& job : plan.jobs) {
    jobs.push_back({{"line", job.line},
                    {"name", job.name},
                    {"when", job.when},
                    {"next_due", job.next_due.empty() ? Json() : Json(job.next_due)},
                    {"command", job.command},
                    {"spec", job.spec}});
  }
  return {{"jobs", std::move(jobs)},
          {"problems", remarks_json(plan.problems, "reason")},
          {"notes", remarks_json(plan.notes, "note")}};
}

}  // namespace escapement::apps
