#include "parse_common.h"
#include "run_verbs.h"
#include "timer_verbs.h"

namespace escapement::apps {
namespace {

constexpr const char* kTimerAddExamples =
    "  escapement timer add order-17 --in 30m --http POST=https://example.com/orders/17/expire\n"
    "  escapement timer add wake-up --at 2026-03-29T06:00:00+02:00 --exec -- /usr/bin/beep";

void declare_timer_add(CLI::App& timer, ParseState& state) {
  auto [verb, options] = add_verb<TimerAddOptions>(
      timer, state, {"add", "create or move a timer", kTimerAddExamples, timer_add});
  verb->add_option("KEY", options->key, "the business key")->required();
  verb->add_option("--in", options->in, "after this delay, such as 30m");
  verb->add_option("--at", options->at, "at this RFC 3339 instant");
  verb->add_flag("--reuse", options->reuse, "start again although the key has fired or ended");
  declare_target_options(*verb, options->target);
  verb->add_option("--timeout", options->policies.timeout, "of one attempt; else 30s");
  verb->add_option("--max-attempts", options->policies.max_attempts, "else 3");
  declare_server_options(*verb, options->server);
  options->target.argv = state.after_dashes;
}

void declare_timer_list(CLI::App& timer, ParseState& state) {
  auto [verb, options] = add_verb<TimerListOptions>(
      timer, state,
      {"list", "the timers of an app", "  escapement timer list --state planned", timer_list});
  verb->add_option("--state", options->state, "only timers in this state");
  verb->add_option("--limit", options->limit, "at most so many")->capture_default_str();
  verb->add_option("--cursor", options->cursor, "go on where the last page ended");
  declare_server_options(*verb, options->server);
}

void declare_named_timer(CLI::App& timer, ParseState& state, const VerbSpec<TimerOptions>& spec) {
  auto [verb, options] = add_verb<TimerOptions>(timer, state, spec);
  verb->add_option("KEY", options->key, "the business key")->required();
  declare_server_options(*verb, options->server);
}

void declare_filter(CLI::App& verb, RunFilter& filter) {
  verb.add_option("--job", filter.job, "only runs of this job");
  verb.add_option("--key", filter.key, "only the timer with this key");
  verb.add_option("--state", filter.state, "only runs in this state");
  verb.add_option("--origin", filter.origin, "occurrence, trigger or timer");
  verb.add_option("--due-from", filter.due_from, "due at or after this RFC 3339 instant");
  verb.add_option("--due-to", filter.due_to, "due before this RFC 3339 instant");
  declare_server_options(verb, filter.server);
}

void declare_run_list(CLI::App& run, ParseState& state) {
  auto [verb, filter] = add_verb<RunFilter>(
      run, state,
      {"list", "runs, the newest first", "  escapement run list --job nightly", run_list});
  declare_filter(*verb, *filter);
  verb->add_option("--limit", filter->limit, "at most so many")->capture_default_str();
  verb->add_option("--cursor", filter->cursor, "go on where the last page ended");
}

void declare_run_show(CLI::App& run, ParseState& state) {
  auto [verb, options] = add_verb<RunShowOptions>(
      run, state,
      {"show", "a run with its attempts and their output", "  escapement run show ID", run_show});
  verb->add_option("ID", options->id, "the run's id")->required();
  declare_server_options(*verb, options->server);
}

void declare_run_watch(CLI::App& run, ParseState& state) {
  auto [verb, options] = add_verb<RunWatchOptions>(
      run, state,
      {"watch", "print runs as they finish, with their lateness, until Ctrl-C",
       "  escapement run watch --job nightly\n  escapement run watch --count 10", run_watch});
  declare_filter(*verb, options->filter);
  verb->add_option("--count", options->count, "end after so many runs");
}

}  // namespace

void declare_timer(CLI::App& app, ParseState& state) {
  CLI::App* timer = app.add_subcommand("timer", "durable one-shot timers with a key");
  timer->require_subcommand(1);
  declare_timer_add(*timer, state);
  declare_timer_list(*timer, state);
  declare_named_timer(*timer, state,
                      {"show", "a timer's state", "  escapement timer show order-17", timer_show});
  declare_named_timer(*timer, state,
                      {"cancel", "a timer that has not fired yet",
                       "  escapement timer cancel order-17", timer_cancel});
}

void declare_run(CLI::App& app, ParseState& state) {
  CLI::App* run = app.add_subcommand("run", "runs: what was, is and will be done");
  run->require_subcommand(1);
  declare_run_list(*run, state);
  declare_run_show(*run, state);
  declare_run_watch(*run, state);
}

}  // namespace escapement::apps
