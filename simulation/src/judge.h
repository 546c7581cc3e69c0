// Judge: tells the books and every checker what happened, the books first.
#pragma once

#include <functional>

#include "checkers/all.h"
#include "history.h"

namespace escapement::simulation {

class Judge {
 public:
  Judge(Stage& stage, const stores::MemoryState& disk, const engine::EngineOptions& options);

  void on_start(const engine::Recovered& recovered);
  void on_death();
  void on_submit(const engine::Write& write);
  void on_commit(const engine::Write& write, const engine::Written& written);
  void on_dispatch(const engine::Dispatch& dispatch);
  void on_result(const engine::AttemptResult& result);
  void on_send(const engine::Command& command);
  void on_reply(const Exchange& exchange, const engine::Reply& reply);
  void on_notice(const engine::Notice& notice);
  void on_end();

 private:
  template <typename Call>
  void tell(Call call) {
    for (const auto& checker : checkers_) call(*checker);
  }

  Stage& stage_;
  History history_;
  engine::EngineOptions options_;
  Checkers checkers_;
};

}  // namespace escapement::simulation
