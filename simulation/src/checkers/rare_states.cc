#include "all.h"

namespace escapement::simulation {
namespace {

using domain::RunState;

constexpr Duration kSoon = std::chrono::seconds{10};

class RareStates final : public Checker {
 public:
  explicit RareStates(const CheckerContext& context)
      : Checker("rare states", context.stage, context.history) {}

  void on_death() override {
    if (history_.in_flight() > 0) stage_.reach(Rare::crash_in_flight);
  }

  void on_submit(const engine::Write& write) override {
    for (const engine::Mutation& mutation : write.mutations) {
      const auto* update = std::get_if<engine::UpdateRun>(&mutation);
      if (update == nullptr || !update->replace_spec) continue;
      const RunRecord* record = history_.find(update->after.id);
      const bool armed = record != nullptr && history_.armed().covers(record->row.next_attempt_at);
      if (armed) moving_.insert({update->after.id, update->after.revision});
    }
  }

  void on_commit(const engine::Write& write, const engine::Written& written) override {
    for (std::size_t i = 0; i < write.mutations.size(); ++i) {
      note(write.mutations[i], written.affected[i]);
    }
  }

  void on_change(const RunChange& change) override {
    const domain::Run& run = change.record.row;
    const bool ended = change.before && !is_terminal(change.before->state);
    if (ended && run.state == RunState::skipped && run.reason == "overlap_queue_full") {
      stage_.reach(Rare::overlap_queue_full);
    }
    if (ended && run.state == RunState::failed && run.tries >= 2 && run.tries == limit_of(run)) {
      stage_.reach(Rare::retry_exhausted);
    }
    if (moving_.erase({run.id, run.revision}) > 0) stage_.reach(Rare::moved_while_armed);
  }

  void on_result(const engine::AttemptResult& result) override {
    const RunRecord* record = history_.find(result.key.run);
    if (record != nullptr && !record->in_flight) repeated_ = true;
  }

  void on_reply(const Exchange& exchange, const engine::Reply& reply) override {
    if (std::holds_alternative<engine::CancelTimer>(exchange.command.body)) {
      note_cancel(exchange, reply);
    }
    if (!reply.result.ok()) return;
    const auto* metrics = std::get_if<engine::MetricsReply>(&*reply.result);
    if (repeated_ && metrics && metrics->stale_results > 0) stage_.reach(Rare::duplicate_ignored);
  }

  void on_notice(const engine::Notice& notice) override {
    if (const auto* step = std::get_if<engine::ClockStepped>(&notice)) {
      if (step->delta < -kSoon) stage_.reach(Rare::backward_step);
      if (step->delta > kSoon) forward_at_ = stage_.truth();
    }
    const auto* caught_up = std::get_if<engine::CaughtUp>(&notice);
    backlog_ |= caught_up != nullptr && caught_up->overdue_runs > 0;
  }

  void on_end() override {
    if (backlog_) stage_.reach(Rare::backlog_drained);
  }

 private:
  void note(const engine::Mutation& mutation, std::int64_t affected) {
    if (const auto* update = std::get_if<engine::UpdateRun>(&mutation)) {
      const bool unknown =
          update->attempt && update->attempt->state == domain::AttemptState::unknown;
      if (unknown) stage_.reach(Rare::unknown_attempt);
    }
    if (std::holds_alternative<engine::DropPlanned>(mutation) && affected > 0) {
      stage_.reach(Rare::edit_dropped);
    }
    if (const auto* add = std::get_if<engine::AddMiss>(&mutation)) {
      if (add->miss.count > 1) stage_.reach(Rare::catch_up_range);
      const bool stepped = forward_at_ && stage_.truth() - *forward_at_ < kSoon;
      if (stepped) stage_.reach(Rare::forward_catch_up);
    }
  }

  void note_cancel(const Exchange& exchange, const engine::Reply& reply) {
    if (reply.current && (reply.current->state == RunState::dispatched ||
                          reply.current->state == RunState::running)) {
      stage_.reach(Rare::cancel_lost);
    }
    if (!reply.result.ok()) return;
    const auto* runs = std::get_if<engine::RunsReply>(&*reply.result);
    const auto* one = std::get_if<engine::RunReply>(&*reply.result);
    if (one == nullptr && (runs == nullptr || runs->runs.empty())) return;
    const domain::Run& run = one != nullptr ? one->run : runs->runs.front();
    const Duration left = run.next_attempt_at - exchange.received.wall;
    if (left >= Duration::zero() && left <= std::chrono::milliseconds{1}) {
      stage_.reach(Rare::cancel_won_close);
    }
  }

  std::int64_t limit_of(const domain::Run& run) const {
    const JobRecord* job = history_.job(run.job_id);
    return job != nullptr ? job->row.spec->retry.max_attempts : run.timer->retry.max_attempts;
  }

  std::set<std::pair<domain::RunId, std::int64_t>> moving_;
  std::optional<Duration> forward_at_;
  bool repeated_ = false;
  bool backlog_ = false;
};

}  // namespace

std::unique_ptr<Checker> make_rare_states(const CheckerContext& context) {
  return std::make_unique<RareStates>(context);
}

}  // namespace escapement::simulation
