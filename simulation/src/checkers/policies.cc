#include "all.h"

namespace escapement::simulation {
namespace {

class Policies final : public Checker {
 public:
  explicit Policies(const CheckerContext& context)
      : Checker("policies are respected", context.stage, context.history) {}

  void on_change(const RunChange& change) override {
    const domain::Run& run = change.record.row;
    if (!change.before || run.tries <= change.before->tries) return;
    expect(run.tries <= most_attempts(run), text_of(run) + " counts " + std::to_string(run.tries) +
                                                " tries of at most " +
                                                std::to_string(most_attempts(run)));
  }

  void on_dispatch(const Start& start) override {
    if (start.record == nullptr) return;
    const JobRecord* job = history_.job(start.record->row.job_id);
    if (job == nullptr || job->ever_overlapped) return;
    for (const domain::RunId id : history_.flying()) {
      const domain::Run& other = history_.find(id)->row;
      expect(id == start.dispatch.key.run || other.job_id != job->row.id,
             text_of(start.record->row) + " overlaps " + text_of(other));
    }
  }

 private:
  std::int64_t most_attempts(const domain::Run& run) const {
    const JobRecord* job = history_.job(run.job_id);
    return job != nullptr ? job->most_attempts : run.timer->retry.max_attempts;
  }
};

}  // namespace

std::unique_ptr<Checker> make_policies(const CheckerContext& context) {
  return std::make_unique<Policies>(context);
}

}  // namespace escapement::simulation
