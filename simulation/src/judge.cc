#include "judge.h"

namespace escapement::simulation {

Judge::Judge(Stage& stage, const stores::MemoryState& disk, const engine::EngineOptions& options)
    : stage_(stage),
      history_(disk),
      options_(options),
      checkers_(make_checkers({stage_, history_, options_})) {}

void Judge::on_start(const engine::Recovered& recovered) {
  history_.on_start();
  tell([&](Checker& checker) { checker.on_start(recovered); });
}

void Judge::on_death() {
  tell([](Checker& checker) { checker.on_death(); });
  history_.on_death();
}

void Judge::on_submit(const engine::Write& write) {
  tell([&](Checker& checker) { checker.on_submit(write); });
}

void Judge::on_commit(const engine::Write& write, const engine::Written& written) {
  ++stage_.report.commits;
  const std::vector<RunChange> changes = history_.book(write, written);
  for (const RunChange& change : changes) {
    tell([&](Checker& checker) { checker.on_change(change); });
  }
  tell([&](Checker& checker) { checker.on_commit(write, written); });
}

void Judge::on_dispatch(const engine::Dispatch& dispatch) {
  ++stage_.report.dispatches;
  history_.on_fired(dispatch, stage_.clock.now());
  const Start start{dispatch, std::as_const(history_).find(dispatch.key.run)};
  tell([&](Checker& checker) { checker.on_dispatch(start); });
}

void Judge::on_result(const engine::AttemptResult& result) {
  tell([&](Checker& checker) { checker.on_result(result); });
  history_.on_result(result.key);
}

void Judge::on_send(const engine::Command& command) {
  tell([&](Checker& checker) { checker.on_send(command); });
}

void Judge::on_reply(const Exchange& exchange, const engine::Reply& reply) {
  tell([&](Checker& checker) { checker.on_reply(exchange, reply); });
}

void Judge::on_notice(const engine::Notice& notice) {
  tell([&](Checker& checker) { checker.on_notice(notice); });
}

void Judge::on_end() {
  tell([](Checker& checker) { checker.on_end(); });
}

}  // namespace escapement::simulation
