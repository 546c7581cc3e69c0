#include "all.h"

namespace escapement::simulation {
namespace {

std::int64_t limit_of(const domain::CatchUpPolicy& policy) {
  if (policy.policy == domain::CatchUp::skip) return 0;
  if (policy.policy == domain::CatchUp::latest) return 1;
  return policy.limit;
}

// Occurrences from before a start that are written after it are catch-up by definition.
class CatchUp final : public Checker {
 public:
  explicit CatchUp(const CheckerContext& context)
      : Checker("catch-up is bounded (I12)", context.stage, context.history) {}

  void on_start(const engine::Recovered& recovered) override {
    started_ = now().wall;
    limits_.clear();
    for (const domain::Job& job : recovered.jobs) {
      const domain::Schedule& schedule = job.spec->schedule;
      if (std::holds_alternative<domain::CronSchedule>(schedule) ||
          std::holds_alternative<domain::EverySchedule>(schedule)) {
        limits_[job.id] = limit_of(job.spec->catch_up);
      }
    }
  }

  // After a step of the clock a second catch-up is due, and instants lose their order.
  void on_notice(const engine::Notice& notice) override {
    if (std::holds_alternative<engine::ClockStepped>(notice)) limits_.clear();
  }

  void on_change(const RunChange& change) override {
    const domain::Run& run = change.record.row;
    if (change.before || run.origin != domain::RunOrigin::occurrence) return;
    const auto limit = limits_.find(run.job_id);
    if (limit == limits_.end() || run.due >= started_ || now().wall < started_) return;
    const JobRecord* job = history_.job(run.job_id);
    if (job == nullptr || job->row.updated_at >= started_) return;
    expect(--limit->second >= 0, text_of(run) + " is caught up beyond the limit " +
                                     std::to_string(limit_of(job->row.spec->catch_up)));
  }

 private:
  Instant started_;
  std::map<domain::JobId, std::int64_t> limits_;
};

}  // namespace

std::unique_ptr<Checker> make_catch_up(const CheckerContext& context) {
  return std::make_unique<CatchUp>(context);
}

}  // namespace escapement::simulation
