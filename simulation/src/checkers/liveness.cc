#include "all.h"

namespace escapement::simulation {
namespace {

constexpr Duration kBound = std::chrono::seconds{30};

class Liveness final : public Checker {
 public:
  explicit Liveness(const CheckerContext& context)
      : Checker("nothing due is left behind (I7)", context.stage, context.history) {}

  void on_end() override {
    for (const domain::RunId id : history_.live()) check_run(history_.find(id)->row);
    for (const auto& [id, job] : history_.jobs()) {
      if (!job.removed && job.row.spec->enabled) check_job(job);
    }
  }

 private:
  void check_run(const domain::Run& run) {
    expect(run.next_attempt_at > now().wall - kBound,
           text_of(run) + " has waited since " + format_instant(run.next_attempt_at));
  }

  void check_job(const JobRecord& job) {
    const std::string name = "job " + job.row.app + "/" + job.row.name;
    const domain::Schedule& schedule = job.row.spec->schedule;
    if (const auto* every = std::get_if<domain::EverySchedule>(&schedule)) {
      return expect(is_going_on(job, every->period), name + " has stopped");
    }
    expect(job.row.next_due > now().wall - kBound || is_elapsed(schedule),
           name + " is not planned beyond " + format_instant(job.row.next_due));
    if (!std::holds_alternative<domain::FixedDelaySchedule>(schedule)) return;
    expect(job.row.next_due != kNever || has_live_run(job),
           name + " (fixed_delay) has neither a run nor a next due");
  }

  // After a step of the wall clock the grid of `every` lags behind it; its runs do not.
  bool is_going_on(const JobRecord& job, Duration period) const {
    const Instant since = now().wall - period - kBound;
    if (job.row.updated_at > since || job.occurrences.empty()) return true;
    const domain::Run& last = history_.find(*job.occurrences.rbegin())->row;
    // The clock was stepped back under this grid, and after a restart the stored instant rules
    // (16): the next occurrence may be as far away as the step was long.
    if (last.due > last.next_attempt_at + kBound) return true;
    return last.next_attempt_at > since;
  }

  bool has_live_run(const JobRecord& job) const {
    for (const domain::RunId id : job.occurrences) {
      if (history_.live().contains(id)) return true;
    }
    return false;
  }
};

}  // namespace

std::unique_ptr<Checker> make_liveness(const CheckerContext& context) {
  return std::make_unique<Liveness>(context);
}

}  // namespace escapement::simulation
