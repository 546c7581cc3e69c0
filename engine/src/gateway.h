// Gateway: writes with definite outcomes.
//
// Numbers requests, matches answers with what waits for them, and settles the two awkward cases so
// that nobody above has to: an unknown outcome is re-read until it is known, never retried blindly;
// internal writes that failed for lack of a store or space are tried again with back-off.
#pragma once

#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

#include "escapement/engine/engine.h"
#include "timeline.h"

namespace escapement::engine {

using Mutations = std::vector<Mutation>;
using WriteDone = std::function<void(const Result<Written>&)>;
using ReadDone = std::function<void(Result<StoreValue>)>;

inline constexpr Duration kStoreRetry = std::chrono::milliseconds{200};

class Gateway {
 public:
  Gateway(domain::Term term, const Timeline& time, std::vector<Action>& out)
      : term_(term), time_(time), out_(out) {}

  // One try; errors are the caller's (a client is told).
  void write(Mutations mutations, WriteDone done);
  // Tried until the store took it; only conflict, fenced and invalid reach `done`.
  void write_until_done(Mutations mutations, WriteDone done);
  void read(StoreRequest request, ReadDone done);
  // As write_until_done; whatever is submitted after it waits until it has been committed.
  void write_barrier(Mutations mutations, std::function<void()> done);
  bool has_barrier() const { return barriers_ > 0; }

  void on_answer(StoreAnswer answer, Elapsed now);
  // Sends again what waited long enough.
  void retry_due(Elapsed now);
  Elapsed next_retry() const;

  bool idle() const { return waiting_.empty() && retries_.empty() && blocked_.empty(); }
  bool healthy() const { return healthy_; }
  bool fenced() const { return fenced_; }
  std::size_t unanswered() const { return waiting_.size(); }
  std::int64_t errors() const { return errors_; }

 private:
  struct Waiting {
    WriteDone write_done;
    ReadDone read_done;
    Mutations again;  // of write_until_done
    bool persistent = false;
    bool barrier = false;
    Duration offset{};      // of the timeline in which `again` tells elapsed instants
    Ticket asks_about = 0;  // of FindOutcome: the write it asks about
  };
  struct Retry {
    Elapsed at;
    Waiting waiting;
  };

  struct Blocked {
    StoreRequest request;
    Waiting waiting;
    Duration offset{};
  };

  // The clock was stepped since these were made: the store has shifted its rows meanwhile.
  void realign(Mutations& mutations, Duration& offset) const;
  void send(StoreRequest request, Waiting waiting);
  void end_barrier();
  void send_write(Waiting waiting);
  void ask_outcome(Ticket write, Waiting waiting);
  void on_outcome(Waiting waiting, const Result<StoreValue>& result, Elapsed now);
  void on_written(Ticket ticket, Waiting waiting, Result<StoreValue> result, Elapsed now);
  void note(const Error& error);

  domain::Term term_;
  const Timeline& time_;
  std::vector<Action>& out_;
  Ticket last_ticket_ = 0;
  std::unordered_map<Ticket, Waiting> waiting_;
  std::deque<Retry> retries_;
  std::deque<Blocked> blocked_;  // behind a barrier
  int barriers_ = 0;
  bool healthy_ = true;
  bool fenced_ = false;
  std::int64_t errors_ = 0;
};

}  // namespace escapement::engine
