// SimStore: a memory store behind a disk that is slow, refuses, and loses answers to COMMIT.
//
// Writes and loads queue and are executed in groups, all at one instant, and answered a little
// later; queries run beside them. What was executed survives the death of the process, what waits
// dies with it. An unknown outcome is decided by a coin: applied or not, and FindOutcome tells the
// truth. One thread.
#pragma once

#include <deque>
#include <functional>
#include <set>

#include "escapement/stores/memory_store.h"
#include "random.h"
#include "stage.h"

namespace escapement::simulation {

// What may go wrong just now, in percent of requests.
struct StoreWeather {
  std::int64_t unavailable = 0;
  std::int64_t full = 0;
  std::int64_t lost_answers = 0;
  bool stalled = false;
};

class SimStore {
 public:
  using CommitHandler = std::function<void(const engine::Write&, const engine::Written&)>;
  using AnswerHandler = std::function<void(engine::StoreAnswer)>;

  SimStore(Stage& stage, Random random);

  void set_on_commit(CommitHandler handler) { on_commit_ = std::move(handler); }
  void set_on_answer(AnswerHandler handler) { on_answer_ = std::move(handler); }

  engine::Recovered open(bool bump_term) { return stores::open(disk_, bump_term); }
  void submit(engine::Ticket ticket, engine::StoreRequest request);
  // The process died: what was not executed is lost, and so are all answers.
  void drop_waiting();

  StoreWeather& weather() { return weather_; }
  const stores::MemoryState& disk() const { return disk_; }

 private:
  struct Waiting {
    engine::Ticket ticket = 0;
    engine::StoreRequest request;
  };

  void begin_group();
  void commit_group(std::size_t size);
  engine::StoreAnswer execute(const Waiting& waiting);
  engine::StoreAnswer execute_write(engine::Ticket ticket, const engine::Write& write);
  engine::StoreAnswer lose_answer(engine::Ticket ticket, const engine::Write& write);
  engine::StoreAnswer run(engine::Ticket ticket, const engine::StoreRequest& request);
  void answer_later(engine::StoreAnswer answer, Duration delay);
  void query(Waiting waiting);
  Duration latency();

  Stage& stage_;
  Random random_;
  stores::MemoryState disk_;
  StoreWeather weather_;
  CommitHandler on_commit_;
  AnswerHandler on_answer_;
  std::deque<Waiting> queue_;
  std::set<engine::Ticket> committed_;  // writes of this process
  bool committing_ = false;
  Duration last_answer_{};  // answers keep their order
  std::uint64_t life_ = 0;  // of the process; what belongs to an earlier one is dropped
};

}  // namespace escapement::simulation
