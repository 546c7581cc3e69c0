#include "import_verb.h"
#include "job_verbs.h"
#include "parse_common.h"

namespace escapement::apps {
namespace {

constexpr const char* kAddExamples =
    "  escapement job add nightly --cron \"0 2 * * *\" --tz Europe/Berlin --http "
    "POST=https://example.com/hook\n"
    "  escapement job add heartbeat --every 10s --exec -- /bin/echo alive\n"
    "  escapement job add report --manual --http https://example.com/report --body '{\"a\":1}'";
constexpr const char* kImportExamples =
    "  escapement job import /etc/crontab --dry-run\n"
    "  crontab -l | escapement job import - --yes --prefix mine";

void declare_schedule(CLI::App& verb, ScheduleOptions& options) {
  verb.add_option("--cron", options.cron, "a cron expression");
  verb.add_option("--tz", options.zone, "its IANA time zone; else UTC");
  verb.add_option("--dialect", options.dialect, "unix or quartz; else by the number of fields");
  verb.add_option("--every", options.every, "a fixed rate, such as 90s or 1h30m");
  verb.add_option("--anchor", options.anchor, "an instant of the rate's grid; else the creation");
  verb.add_option("--fixed-delay", options.fixed_delay, "from the end of one run to the next");
  verb.add_option("--at", options.at, "once, at this RFC 3339 instant");
  verb.add_flag("--manual", options.manual, "only when triggered");
}

void declare_policies(CLI::App& verb, PolicyOptions& options) {
  verb.add_option("--timeout", options.timeout, "of one attempt; else 30s");
  verb.add_option("--max-attempts", options.max_attempts, "else 3");
  verb.add_option("--catch-up", options.catch_up, "skip, latest or all[:N]; else latest");
  verb.add_option("--overlap", options.overlap, "allow, skip or queue[:N]; else allow");
  verb.add_option("--description", options.description, "for people");
  verb.add_flag("--paused", options.paused, "do not run it before `job resume`");
}

void declare_add(CLI::App& job, ParseState& state) {
  auto [verb, options] =
      add_verb<JobAddOptions>(job, state, {"add", "create or change a job", kAddExamples, job_add});
  verb->add_option("NAME", options->name, "the job's name")->required();
  declare_schedule(*verb, options->schedule);
  declare_target_options(*verb, options->target);
  declare_policies(*verb, options->policies);
  declare_server_options(*verb, options->server);
  options->target.argv = state.after_dashes;
}

void declare_import(CLI::App& job, ParseState& state) {
  auto [verb, options] = add_verb<ImportOptions>(
      job, state, {"import", "make the lines of a crontab jobs", kImportExamples, job_import});
  verb->add_option("FILE", options->file, "a crontab; - is standard input")->required();
  verb->add_flag("--system", options->system, "there is a user before each command");
  verb->add_flag("--dry-run", options->dry_run, "only show what would be done");
  verb->add_flag("--yes,-y", options->yes, "do not ask");
  verb->add_option("--prefix", options->prefix, "of the jobs' names; else the file's name");
  verb->add_option("--tz", options->zone, "of lines without CRON_TZ; else the machine's zone");
  declare_server_options(*verb, options->server);
}

void declare_list(CLI::App& job, ParseState& state) {
  auto [verb, options] = add_verb<JobListOptions>(
      job, state, {"list", "all jobs of an app", "  escapement job list --app shop", job_list});
  verb->add_option("--limit", options->limit, "at most so many")->capture_default_str();
  verb->add_option("--cursor", options->cursor, "go on where the last page ended");
  declare_server_options(*verb, options->server);
}

void declare_trigger(CLI::App& job, ParseState& state) {
  auto [verb, options] = add_verb<JobTriggerOptions>(
      job, state,
      {"trigger", "run a job once, now or later",
       "  escapement job trigger report --in 5m --payload '{\"month\":\"2026-03\"}'", job_trigger});
  verb->add_option("NAME", options->name, "the job's name")->required();
  verb->add_option("--in", options->in, "after this delay");
  verb->add_option("--payload", options->payload, "replaces the target's body or input");
  declare_server_options(*verb, options->server);
}

void declare_named(CLI::App& job, ParseState& state, const VerbSpec<JobOptions>& spec) {
  auto [verb, options] = add_verb<JobOptions>(job, state, spec);
  verb->add_option("NAME", options->name, "the job's name")->required();
  declare_server_options(*verb, options->server);
}

}  // namespace

void declare_job(CLI::App& app, ParseState& state) {
  CLI::App* job = app.add_subcommand("job", "jobs: rules that say when and what");
  job->require_subcommand(1);
  declare_add(*job, state);
  declare_import(*job, state);
  declare_list(*job, state);
  declare_named(*job, state,
                {"show", "everything about a job", "  escapement job show nightly", job_show});
  declare_named(*job, state,
                {"pause", "stop planning runs", "  escapement job pause nightly", job_pause});
  declare_named(*job, state,
                {"resume", "plan runs again", "  escapement job resume nightly", job_resume});
  declare_trigger(*job, state);
  declare_named(
      *job, state,
      {"delete", "remove a job; its history stays", "  escapement job delete nightly", job_delete});
}

}  // namespace escapement::apps
