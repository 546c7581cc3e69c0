#include "cron_verbs.h"
#include "parse_common.h"

namespace escapement::apps {
namespace {

constexpr const char* kNextExamples =
    "  escapement cron next \"*/15 * * * *\" --tz Asia/Shanghai --count 3\n"
    "  escapement cron next \"30 2 * * *\" --tz Europe/Berlin --from 2026-03-28T12:00:00Z --json\n"
    "  echo '{\"expr\":\"0 0 12 ? * 6L\",\"count\":2}' | escapement cron next --batch";
constexpr const char* kExplainExamples =
    "  escapement cron explain \"10,40 9-23 * * *\" --tz Asia/Shanghai";
constexpr const char* kLintExamples =
    "  escapement cron lint \"30 2 1 * 1\" --tz Europe/Berlin --json";

CLI::Option* declare_common(CLI::App& verb, CronOptions& options) {
  CLI::Option* expression =
      verb.add_option("EXPR", options.expression, "five fields (unix) or six to seven (quartz)");
  verb.add_option("--dialect", options.dialect, "unix or quartz; else by the number of fields");
  verb.add_option("--tz", options.zone, "an IANA time zone")->capture_default_str();
  verb.add_option("--from", options.from, "RFC 3339; else now");
  verb.add_flag("--json", options.json, "print JSON");
  return expression;
}

void declare_next(CLI::App& cron, ParseState& state) {
  auto [verb, options] = add_verb<CronOptions>(
      cron, state, {"next", "the next fires of an expression", kNextExamples, cron_next});
  CLI::Option* expression = declare_common(*verb, *options);
  verb->add_option("--count", options->count, "how many, 1 to 10000")->capture_default_str();
  verb->add_flag("--batch", options->batch,
                 "answer JSON Lines {\"dialect\",\"expr\",\"tz\",\"from\",\"count\"} from stdin");
  verb->parse_complete_callback([expression, chosen = options] {
    if (chosen->batch == (expression->count() > 0)) {
      throw CLI::ValidationError("give either EXPR or --batch");
    }
  });
}

}  // namespace

void declare_cron(CLI::App& app, ParseState& state) {
  CLI::App* cron = app.add_subcommand("cron", "what cron expressions mean; needs no server");
  cron->require_subcommand(1);
  declare_next(*cron, state);
  auto explain = add_verb<CronOptions>(
      *cron, state,
      {"explain", "an expression in plain words, with its next fires and warnings",
       kExplainExamples, cron_explain});
  declare_common(*explain.first, *explain.second)->required();
  auto lint = add_verb<CronOptions>(
      *cron, state,
      {"lint", "warnings about an expression; 2 when it is invalid", kLintExamples, cron_lint});
  declare_common(*lint.first, *lint.second)->required();
}

}  // namespace escapement::apps
