// Checker: one promise, watched over a whole simulation.
//
// The world tells every checker what happened, after the books (History) have it; a checker says
// `violate` when the promise is broken, and the world stops there. One thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "../history.h"
#include "../stage.h"
#include "escapement/engine/engine.h"

namespace escapement::simulation {

// One attempt that leaves the engine.
struct Start {
  const engine::Dispatch& dispatch;
  const RunRecord* record = nullptr;  // null: the store has no such run
};

// A command as its client knows it.
struct Exchange {
  engine::Command command;
  Now received;                   // when the engine got it
  std::int64_t fired_before = 0;  // dispatches in the world until then
};

class Checker {
 public:
  Checker(std::string_view name, Stage& stage, const History& history)
      : name_(name), stage_(stage), history_(history) {}
  virtual ~Checker() = default;
  Checker(const Checker&) = delete;
  Checker& operator=(const Checker&) = delete;

  virtual void on_start(const engine::Recovered&) {}
  virtual void on_death() {}
  // An engine handed a write to the store.
  virtual void on_submit(const engine::Write&) {}
  virtual void on_commit(const engine::Write&, const engine::Written&) {}
  virtual void on_change(const RunChange&) {}
  virtual void on_dispatch(const Start&) {}
  virtual void on_result(const engine::AttemptResult&) {}
  virtual void on_send(const engine::Command&) {}
  virtual void on_reply(const Exchange&, const engine::Reply&) {}
  virtual void on_notice(const engine::Notice&) {}
  // After the healing phase; `now` is the last instant.
  virtual void on_end() {}

 protected:
  void violate(const std::string& message) { stage_.violate(name_, message); }
  void expect(bool holds, const std::string& message) {
    if (!holds) violate(message);
  }
  Now now() const { return stage_.clock.now(); }

  std::string_view name_;
  Stage& stage_;
  const History& history_;
};

using Checkers = std::vector<std::unique_ptr<Checker>>;

inline std::string text_of(domain::RunId id) { return "run " + std::to_string(id.value); }
inline std::string text_of(const domain::Run& run) {
  return text_of(run.id) + " (" + run.app + "/" + (run.job.empty() ? run.key : run.job) + ", due " +
         format_instant(run.due, true) + ", revision " + std::to_string(run.revision) + ", " +
         std::string{to_string(run.state)} + ", attempt " + std::to_string(run.attempt) + ")";
}

}  // namespace escapement::simulation
