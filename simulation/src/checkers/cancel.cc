#include <algorithm>

#include "all.h"

namespace escapement::simulation {
namespace {

using domain::RunState;

class Cancel final : public Checker {
 public:
  explicit Cancel(const CheckerContext& context)
      : Checker("cancel wins or fire wins (I15)", context.stage, context.history) {}

  void on_change(const RunChange& change) override {
    const RunRecord& record = change.record;
    if (record.row.state != RunState::cancelled || !change.before) return;
    if (change.before->state == RunState::cancelled) return;
    const std::int64_t attempt = change.before->attempt;
    expect(!record.was_fired(attempt) || is_recorded(record.row.id, attempt),
           text_of(record.row) + " was cancelled, and attempt " + std::to_string(attempt) +
               " was fired");
  }

  void on_send(const engine::Command& command) override {
    const auto* cancel = std::get_if<engine::CancelTimer>(&command.body);
    if (cancel != nullptr && history_.has_timer(cancel->app, cancel->key)) {
      known_.insert(command.number);
    }
  }

  void on_death() override { known_.clear(); }

  void on_reply(const Exchange& exchange, const engine::Reply& reply) override {
    const auto* cancel = std::get_if<engine::CancelTimer>(&exchange.command.body);
    if (cancel == nullptr) return;
    const bool known = known_.erase(exchange.command.number) > 0;
    if (reply.result.ok()) return check_won(reply);
    if (reply.result.error().code == ErrorCode::conflict) return check_lost(reply);
    expect(!known || reply.result.error().code != ErrorCode::not_found,
           "timer " + cancel->key + " exists, cancel says it does not");
  }

 private:
  bool is_recorded(domain::RunId id, std::int64_t number) const {
    const engine::RunDetails details = history_.disk().get_run(id);
    return std::any_of(details.attempts.begin(), details.attempts.end(),
                       [number](const domain::Attempt& a) {
                         return a.number == number && a.state != domain::AttemptState::running;
                       });
  }

  void check_won(const engine::Reply& reply) {
    std::vector<domain::Run> runs;
    if (const auto* one = std::get_if<engine::RunReply>(&*reply.result)) runs = {one->run};
    if (const auto* many = std::get_if<engine::RunsReply>(&*reply.result)) runs = many->runs;
    expect(runs.size() == 1, "a cancel was answered without its run");
    for (const domain::Run& run : runs) {
      const RunRecord* record = history_.find(run.id);
      expect(record != nullptr && record->row.state == RunState::cancelled,
             text_of(run) + ": cancel was acknowledged, the store says otherwise");
    }
  }

  void check_lost(const engine::Reply& reply) {
    if (!reply.current) return violate("a cancel was refused without the run in its way");
    const RunRecord* record = history_.find(reply.current->id);
    if (record == nullptr) return violate(text_of(*reply.current) + " is in no store");
    // An attempt that nobody knows about may have fired: refusing is right.
    const bool over = is_terminal(record->row.state) || record->row.attempt > 1;
    expect(over || !record->fired.empty(),
           text_of(*reply.current) + ": cancel was refused, but it neither fired nor ended");
  }

  std::set<std::uint64_t> known_;  // cancels of timers that were stored when they were sent
};

}  // namespace

std::unique_ptr<Checker> make_cancel(const CheckerContext& context) {
  return std::make_unique<Cancel>(context);
}

}  // namespace escapement::simulation
