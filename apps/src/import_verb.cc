#include "import_verb.h"

#include <algorithm>
#include <istream>
#include <ostream>

#include "command_name.h"
#include "console.h"
#include "machine_zone.h"
#include "small_file.h"
#include "table.h"

namespace escapement::apps {
namespace {

constexpr std::size_t kShownCommandBytes = 60;

Result<std::string> read_crontab(const ImportOptions& options, std::istream& in) {
  if (options.file != "-") return read_small_file(options.file, kMaxCrontabBytes);
  std::string text(kMaxCrontabBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

bool is_system_path(const std::string& path) {
  return path == "/etc/crontab" || path.starts_with("/etc/cron.d/");
}

std::string prefix_of(const ImportOptions& options) {
  if (!options.prefix.empty()) return options.prefix;
  if (options.file == "-") return "crontab";
  std::string name = options.file.substr(options.file.find_last_of('/') + 1);
  return slug(name.substr(0, name.find('.', 1)));
}

void print_remarks(Console& console, const ImportPlan& plan) {
  for (const CrontabRemark& note : plan.notes) {
    console.err << "note: line " << note.line << ": " << one_line(note.text) << '\n';
  }
  for (const CrontabRemark& problem : plan.problems) {
    console.err << "not imported: line " << problem.line << ": " << one_line(problem.text) << '\n';
  }
}

std::string shortened(const std::string& command) {
  if (command.size() <= kShownCommandBytes) return command;
  std::size_t end = kShownCommandBytes;
  while (end > 0 && (command[end] & 0xc0) == 0x80) --end;
  return command.substr(0, end) + "…";
}

void print_plan(Console& console, const ImportPlan& plan) {
  Table table({"LINE", "JOB", "WHEN", "NEXT DUE", "COMMAND"});
  for (const PlannedJob& job : plan.jobs) {
    table.add({std::to_string(job.line), job.name, job.when,
               job.next_due.empty() ? "never" : job.next_due, shortened(job.command)});
  }
  if (!plan.jobs.empty()) table.print(console.out);
  console.out.flush();
}

enum class Consent { given, refused, impossible };

Consent ask(Console& console, const ImportOptions& options, std::size_t jobs) {
  if (options.yes) return Consent::given;
  if (!console.in_is_terminal || options.file == "-") return Consent::impossible;
  console.err << "Create or change " << jobs << (jobs == 1 ? " job" : " jobs") << " in app '"
              << one_line(options.server.app) << "'? [y/N] " << std::flush;
  std::string answer;
  std::getline(console.in, answer);
  return answer == "y" || answer == "Y" || answer == "yes" ? Consent::given : Consent::refused;
}

// Jobs are put one by one; the first refusal ends the import and names its line.
int put_jobs(const ImportOptions& options, Console& console, const ImportPlan& plan) {
  Result<ApiClient> client = ApiClient::open(options.server, console);
  if (!client.ok()) return report(console, client.error());
  std::size_t done = 0;
  for (const PlannedJob& job : plan.jobs) {
    ApiClient::Answer answer = client->put(job_path(options.server.app, job.name), job.spec);
    if (auto* failure = std::get_if<Failure>(&answer)) {
      failure->message = "line " + std::to_string(job.line) + ", job " + job.name + ": " +
                         failure->message + " (" + std::to_string(done) + " of " +
                         std::to_string(plan.jobs.size()) + " jobs were saved)";
      return report(console, *failure, false);
    }
    ++done;
  }
  if (!options.server.json) console.out << "saved " << done << (done == 1 ? " job\n" : " jobs\n");
  return kExitFine;
}

int carry_out(const ImportOptions& options, Console& console, const ImportPlan& plan) {
  if (plan.jobs.empty()) {
    if (plan.problems.empty()) return kExitFine;
    return report_usage(console, "nothing in " + options.file + " can be imported");
  }
  if (options.dry_run) return kExitFine;
  switch (ask(console, options, plan.jobs.size())) {
    case Consent::given:
      return put_jobs(options, console, plan);
    case Consent::refused:
      return report_usage(console, "nothing was changed");
    case Consent::impossible:
      break;
  }
  return report_usage(console,
                      "nothing was changed: nobody can be asked here, give --yes to do "
                      "it or --dry-run to only look");
}

}  // namespace

int job_import(const ImportOptions& options, Console& console) {
  Result<std::string> text = read_crontab(options, console.in);
  if (!text.ok()) return report_usage(console, text.error().message);
  ImportSettings settings{.system = options.system || is_system_path(options.file),
                          .prefix = prefix_of(options),
                          .zone = options.zone.empty() ? machine_zone() : options.zone,
                          .now = console.clock.now().wall};
  Result<ImportPlan> plan = plan_import(*text, settings);
  if (!plan.ok()) return report(console, plan.error());
  if (options.server.json) {
    console.out << dump_json(to_json(*plan)) << '\n';
  } else {
    print_plan(console, *plan);
  }
  print_remarks(console, *plan);
  return carry_out(options, console, *plan);
}

}  // namespace escapement::apps
