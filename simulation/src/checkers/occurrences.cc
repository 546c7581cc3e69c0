#include <algorithm>

#include "all.h"

namespace escapement::simulation {
namespace {

class Occurrences final : public Checker {
 public:
  explicit Occurrences(const CheckerContext& context)
      : Checker("one occurrence, one run (I3)", context.stage, context.history) {}

  void on_change(const RunChange& change) override {
    const domain::Run& run = change.record.row;
    if (run.origin != domain::RunOrigin::occurrence) return;
    // An edit after a backward step may plan an instant anew whose history is gone.
    const JobRecord* job = history_.job(run.job_id);
    const bool forgotten = change.record.presence == Presence::pruned && job && job->edited;
    if (change.record.presence == Presence::dropped || forgotten) {
      dues_.erase({run.job_id, run.due});
    }
    if (change.before) return;
    expect(dues_.insert({run.job_id, run.due}).second, text_of(run) + " exists twice");
  }

  void on_end() override {
    for (const auto& [id, job] : history_.jobs()) {
      if (!job.edited && job.first.spec->enabled) check_job(job);
    }
  }

 private:
  void check_job(const JobRecord& job) {
    const domain::Schedule& schedule = job.first.spec->schedule;
    if (const auto* cron = std::get_if<domain::CronSchedule>(&schedule)) {
      compare(job, calendar_of(job, cron->cron));
    }
    if (const auto* every = std::get_if<domain::EverySchedule>(&schedule)) {
      compare(job, grid_of(job, every->period));
    }
  }

  static std::vector<Instant> calendar_of(const JobRecord& job, const calendar::Cron& cron) {
    std::vector<Instant> sequence;
    for (auto due = cron.next(job.first.created_at); due && *due < job.row.next_due;
         due = cron.next(*due)) {
      sequence.push_back(*due);
    }
    return sequence;
  }

  std::vector<Instant> grid_of(const JobRecord& job, Duration period) {
    expect((job.first.next_due - job.first.anchor) % period == Duration::zero(),
           "job " + job.row.name + ": next due is not on its grid");
    expect(job.first.next_due <= job.first.created_at + period,
           "job " + job.row.name + ": begins late");
    std::vector<Instant> sequence;
    for (Instant due = job.first.next_due; due < job.row.next_due; due += period) {
      sequence.push_back(due);
    }
    return sequence;
  }

  void compare(const JobRecord& job, const std::vector<Instant>& expected) {
    std::vector<Instant> actual;
    for (const domain::RunId id : job.occurrences) actual.push_back(history_.find(id)->row.due);
    for (const MissRecord& record : job.misses) add_miss(job, record.miss, expected, actual);
    std::sort(actual.begin(), actual.end());
    const auto [wanted, found] =
        std::mismatch(expected.begin(), expected.end(), actual.begin(), actual.end());
    if (wanted == expected.end() && found == actual.end()) return;
    violate("job " + job.row.app + "/" + job.row.name + ": the calendar says " +
            (wanted == expected.end() ? "nothing more" : format_instant(*wanted)) +
            ", runs and misses say " +
            (found == actual.end() ? "nothing more" : format_instant(*found)) + " (" +
            std::to_string(expected.size()) + " against " + std::to_string(actual.size()) + ")");
  }

  void add_miss(const JobRecord& job, const domain::Miss& miss,
                const std::vector<Instant>& expected, std::vector<Instant>& actual) {
    const auto from = std::lower_bound(expected.begin(), expected.end(), miss.from);
    const auto to = std::upper_bound(expected.begin(), expected.end(), miss.to);
    expect(to - from == miss.count,
           "job " + job.row.name + ": a miss of " + std::to_string(miss.count) + " from " +
               format_instant(miss.from) + " to " + format_instant(miss.to) + " stands for " +
               std::to_string(to - from) + " occurrences");
    actual.insert(actual.end(), from, to);
  }

  std::set<std::pair<domain::JobId, Instant>> dues_;
};

}  // namespace

std::unique_ptr<Checker> make_occurrences(const CheckerContext& context) {
  return std::make_unique<Occurrences>(context);
}

}  // namespace escapement::simulation
