#include "all.h"

namespace escapement::simulation {
namespace {

constexpr std::int64_t kFullCheckEvery = 200;  // commits

std::string text_of(const domain::Counters& c) {
  return "{produced " + std::to_string(c.produced) + ", succeeded " + std::to_string(c.succeeded) +
         ", failed " + std::to_string(c.failed) + ", cancelled " + std::to_string(c.cancelled) +
         ", skipped " + std::to_string(c.skipped) + "}";
}

class Conservation final : public Checker {
 public:
  explicit Conservation(const CheckerContext& context)
      : Checker("counters equal the rows (I17)", context.stage, context.history) {}

  void on_change(const RunChange& change) override { touched_.insert(change.record.row.job_id); }

  void on_commit(const engine::Write&, const engine::Written&) override {
    for (const domain::JobId id : touched_) check_job(id);
    touched_.clear();
    if (++commits_ % kFullCheckEvery == 0) check_all();
  }

  void on_end() override { check_all(); }

 private:
  void check_job(domain::JobId id) {
    const JobRecord* record = history_.job(id);
    const auto stored = history_.disk().jobs().find(id);
    if (record == nullptr || stored == history_.disk().jobs().end()) return;
    expect(record->counted == stored->second.counters,
           "job " + record->row.app + "/" + record->row.name + ": rows say " +
               text_of(record->counted) + ", counters say " + text_of(stored->second.counters));
  }

  void check_all() {
    domain::Counters sum = history_.timers();
    for (const auto& [id, job] : history_.jobs()) {
      check_job(id);
      sum += job.counted;
    }
    const engine::AuditReport audit = history_.disk().audit();
    expect(audit.counters == sum,
           "all: rows say " + text_of(sum) + ", the audit says " + text_of(audit.counters));
    expect(
        audit.live_rows == sum.live(),
        std::to_string(audit.live_rows) + " live rows, counters say " + std::to_string(sum.live()));
    expect(static_cast<std::int64_t>(history_.live().size()) == sum.live(),
           "the books and the counters disagree about live runs");
  }

  std::set<domain::JobId> touched_;
  std::int64_t commits_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_conservation(const CheckerContext& context) {
  return std::make_unique<Conservation>(context);
}

}  // namespace escapement::simulation
