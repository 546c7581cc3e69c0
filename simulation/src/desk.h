// Desk: one engine, one perfect memory store and hand-moved clocks, for tests of single rules.
//
// Store requests are executed at once; attempts stay open until the test ends them (or `answer`
// does it by itself); `run_for` moves both clocks from wake-up to wake-up. One thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "escapement/engine/engine.h"
#include "escapement/stores/memory_store.h"

namespace escapement::simulation {

// 2026-03-02T12:00:00Z, a Monday.
inline constexpr Instant kDeskStart{std::chrono::seconds{1772452800}};

class Desk {
 public:
  using Answer = std::function<std::optional<engine::AttemptResult>(const engine::Dispatch&)>;

  explicit Desk(engine::EngineOptions options = {});

  // A start of the server; `down` passes first. Attempts in flight are lost.
  void restart(Duration down = Duration::zero());
  void run_for(Duration span);
  // The wall clock jumps; elapsed time does not.
  void step_wall(Duration delta) { now_.wall += delta; }
  void deliver(std::vector<engine::Event> events);

  engine::Reply ask(engine::CommandBody body);
  engine::Reply put_job(const std::string& name, const std::string& json);
  engine::Reply put_timer(const std::string& key, const std::string& json);
  engine::Reply cancel(const std::string& key);
  void finish(const engine::Dispatch& dispatch, domain::AttemptState state);

  // What becomes of each attempt by itself; nothing: it stays open.
  Answer answer;
  // A store that refuses: every write is answered with this.
  std::optional<Error> refuse_writes;

  Now now() const { return now_; }
  const stores::MemoryState& disk() const { return disk_; }
  engine::Engine& engine() { return *engine_; }
  domain::Job job(const std::string& name) const;
  std::vector<domain::Run> runs() const;
  std::vector<domain::Run> runs(domain::RunState state) const;
  std::int64_t missed() const;

  std::vector<engine::Dispatch> dispatches;
  std::vector<Now> dispatched_at;
  std::vector<engine::AttemptKey> aborted;
  std::vector<engine::Notice> notices;

 private:
  void settle(std::vector<engine::Event> events);
  void carry_out(engine::Action action, std::vector<engine::Event>& events);

  engine::EngineOptions options_;
  stores::MemoryState disk_;
  Now now_{kDeskStart, Elapsed{std::chrono::hours{1}}};
  std::unique_ptr<engine::Engine> engine_;
  std::uint64_t last_number_ = 0;
  std::vector<engine::Reply> replies_;
};

}  // namespace escapement::simulation
