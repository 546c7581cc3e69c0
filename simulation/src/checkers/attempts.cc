#include <algorithm>

#include "all.h"

namespace escapement::simulation {
namespace {

class Attempts final : public Checker {
 public:
  explicit Attempts(const CheckerContext& context)
      : Checker("one dispatch per attempt (I4, I6)", context.stage, context.history) {}

  void on_dispatch(const Start& start) override {
    const engine::AttemptKey& key = start.dispatch.key;
    const std::string name = text_of(key.run) + " attempt " + std::to_string(key.number);
    if (start.record == nullptr) return violate(name + " was dispatched but never stored");
    const RunRecord& record = *start.record;
    const auto times = std::count_if(record.fired.begin(), record.fired.end(),
                                     [&](const Fired& f) { return f.number == key.number; });
    expect(times <= 1, name + " was dispatched twice: " + text_of(record.row));
    expect(record.presence == Presence::stored && !is_terminal(record.row.state),
           name + " was dispatched after its end: " + text_of(record.row));
    expect(record.row.attempt == key.number,
           name + " was dispatched, the store is at another: " + text_of(record.row));
    expect(history_.armed().covers(record.row.next_attempt_at),
           name + " was dispatched before it was armed: " + text_of(record.row));
  }

  void on_end() override {
    for (const auto& [id, record] : history_.runs()) {
      if (record.presence == Presence::stored && !record.fired.empty()) check_recorded(record);
    }
  }

 private:
  void check_recorded(const RunRecord& record) {
    const engine::RunDetails details = history_.disk().get_run(record.row.id);
    for (const Fired& fired : record.fired) {
      const bool found =
          record.in_flight == fired.number ||
          std::any_of(details.attempts.begin(), details.attempts.end(),
                      [&](const domain::Attempt& a) { return a.number == fired.number; });
      // What was fired under this very moment's feet is not over yet.
      const bool fresh = now().wall - fired.at.wall < std::chrono::minutes{1};
      expect(found || fresh, text_of(record.row) + ": the start of attempt " +
                                 std::to_string(fired.number) + " was never recorded");
    }
  }
};

}  // namespace

std::unique_ptr<Checker> make_attempts(const CheckerContext& context) {
  return std::make_unique<Attempts>(context);
}

}  // namespace escapement::simulation
