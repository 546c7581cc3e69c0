#include <cmath>
#include <tuple>

#include "all.h"

namespace escapement::simulation {
namespace {

// Where the clocks drift apart, stored wall instants of elapsed work may be off by the threshold
// under which the engine takes a difference for no step.
constexpr Duration kDriftTolerance = std::chrono::milliseconds{51};

class NeverEarly final : public Checker {
 public:
  explicit NeverEarly(const CheckerContext& context)
      : Checker("never early (I2)", context.stage, context.history) {}

  void on_start(const engine::Recovered& recovered) override {
    term_ = recovered.term;
    planned_.clear();
    not_before_.clear();
    promised_.clear();
    failed_.clear();
  }

  // The stored wall instant of elapsed work, as the elapsed instant it stands for right now.
  void on_submit(const engine::Write& write) override {
    for (const engine::Mutation& mutation : write.mutations) {
      if (const auto* insert = std::get_if<engine::InsertRun>(&mutation)) plan(insert->run);
      if (const auto* update = std::get_if<engine::UpdateRun>(&mutation)) plan(update->after);
    }
  }

  void on_change(const RunChange& change) override {
    const domain::Run& run = change.record.row;
    if (change.before && change.before->revision == run.revision) return;  // only shifted
    not_before_.erase(run.id);
    const auto found = planned_.find({run.id, run.revision, run.next_attempt_at});
    if (found == planned_.end()) return;
    not_before_[run.id] = found->second;
    planned_.erase(found);
  }

  // `in` counts from the receipt, to the microsecond, on the elapsed clock.
  void on_reply(const Exchange& exchange, const engine::Reply& reply) override {
    const auto* put = std::get_if<engine::PutTimers>(&exchange.command.body);
    if (put == nullptr || !reply.result.ok()) return;
    const auto* runs = std::get_if<engine::RunsReply>(&*reply.result);
    if (runs == nullptr || runs->runs.size() != put->timers.size()) return;
    for (std::size_t i = 0; i < runs->runs.size(); ++i) {
      const domain::Run& run = runs->runs[i];
      const bool fresh = run.attempt == 1 && !is_terminal(run.state);
      if (!put->timers[i].in || !fresh || !put->idempotency_key.empty()) continue;
      promise(run, exchange.received.elapsed + *put->timers[i].in);
    }
  }

  void on_dispatch(const Start& start) override {
    if (start.record == nullptr) return;
    const domain::Run& run = start.record->row;
    if (run.elapsed_term == term_) {
      check_elapsed(run);
    } else {
      check_wall(run);
    }
    check_back_off(run);
  }

  void on_result(const engine::AttemptResult& result) override {
    if (result.state == domain::AttemptState::succeeded) return;
    failed_.try_emplace(result.key, now().elapsed, result.retry_after.value_or(Duration{}));
  }

 private:
  void plan(const domain::Run& run) {
    if (run.elapsed_term != term_ || is_terminal(run.state)) return;
    planned_.try_emplace({run.id, run.revision, run.next_attempt_at},
                         now().elapsed + (run.next_attempt_at - now().wall));
  }

  void promise(const domain::Run& run, Elapsed at) {
    promised_[run.id] = {run.revision, at};
    const RunRecord* record = history_.find(run.id);
    if (record == nullptr || record->fired.empty() || record->row.revision != run.revision) return;
    const Fired& fired = record->fired.back();
    expect(fired.term != term_ || fired.at.elapsed >= at, text_of(run) + " fired before its `in`");
  }

  void check_elapsed(const domain::Run& run) {
    const bool drifts = stage_.clock.worst_drift_ppm() > 0;
    const Duration tolerance = drifts ? kDriftTolerance : Duration::zero();
    const auto planned = not_before_.find(run.id);
    if (planned != not_before_.end()) {
      expect(now().elapsed + tolerance >= planned->second,
             text_of(run) + " starts early, by the elapsed clock, by " +
                 std::to_string((planned->second - now().elapsed).count()) + " us");
    }
    const auto promised = promised_.find(run.id);
    if (promised != promised_.end() && promised->second.first == run.revision) {
      expect(now().elapsed >= promised->second.second,
             text_of(run) + " starts before its `in` has passed, by " +
                 std::to_string((promised->second.second - now().elapsed).count()) + " us");
    }
  }

  void check_wall(const domain::Run& run) {
    expect(now().wall >= run.next_attempt_at,
           text_of(run) + " starts early, by the wall clock, by " +
               std::to_string((run.next_attempt_at - now().wall).count()) + " us");
    const JobRecord* job = history_.job(run.job_id);
    const bool calendar = job != nullptr && !job->edited && !is_elapsed(job->row.spec->schedule) &&
                          run.origin == domain::RunOrigin::occurrence;
    expect(!calendar || now().wall >= run.due, text_of(run) + " starts before it is due");
  }

  void check_back_off(const domain::Run& run) {
    const auto failed = failed_.find({run.id, run.attempt - 1});
    if (failed == failed_.end() || run.elapsed_term != term_) return;
    const auto [at, asked] = failed->second;
    expect(now().elapsed >= at + std::max(asked, least_delay(run)),
           text_of(run) + " is tried again too soon");
  }

  // The back-off at its shortest; nothing where the policy may have been changed meanwhile.
  Duration least_delay(const domain::Run& run) const {
    const JobRecord* job = history_.job(run.job_id);
    if (job != nullptr && job->edited) return {};
    const domain::RetryPolicy& retry = job != nullptr ? job->row.spec->retry : run.timer->retry;
    const double grown = static_cast<double>(retry.initial.count()) *
                         std::pow(retry.factor, static_cast<double>(run.tries - 1));
    const double least =
        std::min(grown, static_cast<double>(retry.max.count())) * (1 - retry.jitter);
    return Duration{static_cast<std::int64_t>(least)} - std::chrono::milliseconds{1};
  }

  domain::Term term_ = 0;
  std::map<std::tuple<domain::RunId, std::int64_t, Instant>, Elapsed> planned_;
  std::map<domain::RunId, Elapsed> not_before_;
  std::map<domain::RunId, std::pair<std::int64_t, Elapsed>> promised_;  // revision, not before
  std::map<engine::AttemptKey, std::pair<Elapsed, Duration>> failed_;   // when, retry_after
};

}  // namespace

std::unique_ptr<Checker> make_never_early(const CheckerContext& context) {
  return std::make_unique<NeverEarly>(context);
}

}  // namespace escapement::simulation
