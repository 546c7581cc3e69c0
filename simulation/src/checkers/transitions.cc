#include "all.h"

namespace escapement::simulation {
namespace {

using domain::RunState;

class Transitions final : public Checker {
 public:
  explicit Transitions(const CheckerContext& context)
      : Checker("legal transitions only (I9)", context.stage, context.history) {}

  void on_change(const RunChange& change) override {
    const domain::Run& after = change.record.row;
    if (change.record.presence != Presence::stored) return check_gone(change);
    expect(after.state == RunState::planned || is_terminal(after.state),
           text_of(after) + ": a state that is a fact of the process was stored");
    expect(is_terminal(after.state) == after.finished_at.has_value(),
           text_of(after) + ": finished_at and state disagree");
    if (change.before) check_step(*change.before, after);
  }

 private:
  void check_gone(const RunChange& change) {
    expect(change.record.presence == Presence::pruned || change.record.fired.empty(),
           text_of(change.record.row) + " was dropped although it was dispatched");
  }

  void check_step(const domain::Run& before, const domain::Run& after) {
    expect(!is_terminal(before.state) || before.state == after.state,
           text_of(before) + " left its terminal state for " + std::string{to_string(after.state)});
    expect(!is_terminal(before.state) || before.finished_at == after.finished_at,
           text_of(before) + " ended twice");
    expect(after.revision >= before.revision && after.attempt >= before.attempt &&
               after.tries >= before.tries,
           text_of(after) + " went backward");
    expect(before.due == after.due || before.origin == domain::RunOrigin::timer,
           text_of(after) + ": due is immutable but for timers");
  }
};

}  // namespace

std::unique_ptr<Checker> make_transitions(const CheckerContext& context) {
  return std::make_unique<Transitions>(context);
}

}  // namespace escapement::simulation
