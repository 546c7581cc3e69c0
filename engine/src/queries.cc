#include "queries.h"

#include <algorithm>

#include "timer_commands.h"

namespace escapement::engine {

namespace {

bool matches(const ListRuns& filter, const Run& row) {
  return (!filter.app || *filter.app == row.app) && (!filter.job || *filter.job == row.job) &&
         (!filter.key || *filter.key == row.key) && (!filter.state || *filter.state == row.state) &&
         (!filter.origin || *filter.origin == row.origin) &&
         (!filter.due_from || row.due >= *filter.due_from) &&
         (!filter.due_to || row.due < *filter.due_to) &&
         (!filter.before || row.id < *filter.before);
}

}  // namespace

void Queries::list_runs(std::uint64_t number, const QueryRuns& query) {
  const ListRuns& filter = query.filter;
  if (filter.state && !domain::is_terminal(*filter.state) && *filter.state != RunState::planned) {
    return list_live(number, filter);
  }
  core_.store.read(filter, [this, number, filter](Result<StoreValue> result) {
    if (!result.ok()) {
      core_.out.push_back(Reply{number, result.error(), std::nullopt});
      return;
    }
    RunPage& page = std::get<RunPage>(*result);
    RunListReply reply;
    RunId last_read;
    reply.more = page.more;
    if (page.more) last_read = page.runs.back().id;
    for (Run& row : page.runs) {
      const LiveRun* run = keeper_.find(row.id);
      if (run != nullptr && !domain::is_terminal(row.state)) row = overlay(keeper_, *run);
      if (!filter.state || row.state == *filter.state) reply.runs.push_back(std::move(row));
    }
    if (reply.runs.empty() && reply.more) {
      // All of this page are armed or running by now: go on behind them.
      QueryRuns next{filter};
      next.filter.before = last_read;
      return list_runs(number, next);
    }
    core_.out.push_back(Reply{number, ReplyBody{std::move(reply)}, std::nullopt});
  });
}

void Queries::list_live(std::uint64_t number, const ListRuns& filter) {
  RunListReply reply;
  for (const auto& [id, run] : keeper_.runs()) {
    Run row = overlay(keeper_, run);
    if (matches(filter, row)) reply.runs.push_back(std::move(row));
  }
  std::sort(reply.runs.begin(), reply.runs.end(),
            [](const Run& a, const Run& b) { return a.id > b.id; });
  if (reply.runs.size() > filter.limit) {
    reply.runs.resize(filter.limit);
    reply.more = true;
  }
  core_.out.push_back(Reply{number, ReplyBody{std::move(reply)}, std::nullopt});
}

void Queries::show_run(std::uint64_t number, RunId id) {
  core_.store.read(GetRun{id}, [this, number, id](Result<StoreValue> result) {
    if (!result.ok()) {
      core_.out.push_back(Reply{number, result.error(), std::nullopt});
      return;
    }
    RunDetails& details = std::get<RunDetails>(*result);
    if (!details.run) {
      core_.out.push_back(Reply{number, Error{ErrorCode::not_found, "no such run", "id"}, {}});
      return;
    }
    RunReply reply{*details.run, std::move(details.attempts)};
    const LiveRun* run = keeper_.find(id);
    if (run != nullptr && !domain::is_terminal(reply.run.state)) {
      reply.run = overlay(keeper_, *run);
      const bool running = reply.run.state == RunState::running;
      if (running && run->attempt.number > static_cast<std::int64_t>(reply.attempts.size())) {
        reply.attempts.push_back(run->attempt);
      }
    }
    core_.out.push_back(Reply{number, ReplyBody{std::move(reply)}, std::nullopt});
  });
}

void Queries::metrics(std::uint64_t number) {
  MetricsReply reply = core_.totals.metrics;
  reply.term = core_.term;
  reply.counters = core_.totals.counters;
  reply.jobs = static_cast<std::int64_t>(core_.jobs.size());
  reply.loaded_runs = static_cast<std::int64_t>(keeper_.loaded());
  reply.in_flight = static_cast<std::int64_t>(dispatcher_.in_flight());
  reply.backlog = static_cast<std::int64_t>(dispatcher_.backlog());
  reply.store_errors = core_.store.errors();
  core_.out.push_back(Reply{number, ReplyBody{reply}, std::nullopt});
}

void Queries::audit() {
  const Elapsed now = core_.time.now().elapsed;
  if (auditing_ || now < next_audit_ || audited_ == core_.totals.counters) return;
  auditing_ = true;
  next_audit_ = now + core_.options.audit_interval;
  audited_ = core_.totals.counters;
  core_.store.read(AuditCounters{}, [this](Result<StoreValue> result) {
    auditing_ = false;
    on_audit(std::move(result));
  });
}

void Queries::on_audit(Result<StoreValue> result) {
  if (!result.ok()) return;
  const AuditReport& report = std::get<AuditReport>(*result);
  core_.totals.metrics.live_rows = report.live_rows;
  if (report.live_rows == report.counters.live()) return;
  core_.notice(StoreFailed{Error{ErrorCode::conflict,
                                 "conservation is broken: " + std::to_string(report.live_rows) +
                                     " live rows, " + std::to_string(report.counters.live()) +
                                     " by the counters",
                                 ""}});
}

}  // namespace escapement::engine
