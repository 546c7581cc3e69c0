// Commands about durable one-shot timers: put (one or a batch), cancel, show.
//
// A new key is inserted at once; only when the store says that the key exists is it read and the
// timer moved. A timer in memory leaves its wheel before the store is asked, so an acknowledged
// cancel or move never meets a firing.
#pragma once

#include <map>
#include <memory>

#include "keeper.h"
#include "key_locks.h"

namespace escapement::engine {

class TimerCommands {
 public:
  TimerCommands(Core& core, Keeper& keeper) : core_(core), keeper_(keeper) {}

  void put(std::uint64_t number, PutTimers command);
  void cancel(std::uint64_t number, const CancelTimer& command);
  void show(std::uint64_t number, const ShowTimer& command);

 private:
  // One put under way.
  struct Put {
    std::uint64_t number = 0;
    PutTimers command;
    Now received;
    Duration offset{};        // of the timeline at the receipt
    Duration write_offset{};  // and when the rows were made
    std::vector<std::string> keys;
    int reads = 0;
    std::map<std::string, Run> ended;  // terminal timers that hold a key of this put
    std::vector<Run> rows;             // what each timer will be
    std::vector<bool> created;
    std::vector<bool> written;  // false: answered as it stands
    std::vector<RunId> held;
  };
  using PutPtr = std::shared_ptr<Put>;

  void attempt(const PutPtr& put);
  // Adds the mutations for timer `i`; false when it cannot be done (a reply has been sent).
  bool plan_one(const PutPtr& put, std::size_t i, Mutations& mutations);
  bool plan_move(const PutPtr& put, LiveRun& run, const domain::TimerRequest& timer,
                 Mutations& mutations);
  void plan_insert(const PutPtr& put, const domain::TimerRequest& timer, Mutations& mutations);
  Run make_run(const Put& put, const domain::TimerRequest& timer);
  void set_due(Run& row, const Put& put, const domain::TimerRequest& timer) const;
  Moment moment(const Put& put, const domain::TimerRequest& timer) const;
  void on_put(const PutPtr& put, const Result<Written>& result);
  void read_holders(const PutPtr& put);
  void finish(const PutPtr& put);
  void restore(const PutPtr& put);
  void fail(const PutPtr& put, Error error, const Run* current = nullptr);

  void cancel_locked(std::uint64_t number, const CancelTimer& command);
  void cancel_read(std::uint64_t number, const CancelTimer& command, Result<StoreValue> result);
  void cancel_live(std::uint64_t number, const CancelTimer& command, LiveRun& run);
  void on_cancelled(std::uint64_t number, const CancelTimer& command, const Run& after,
                    const Result<Written>& result);
  void fail_cancel(std::uint64_t number, const CancelTimer& command, Error error,
                   const Run* current = nullptr);
  void reply_details(std::uint64_t number, RunId id, std::optional<Run> now);

  Core& core_;
  Keeper& keeper_;
  KeyLocks locks_;
};

// The run as it is now: armed and running are facts of this process.
Run overlay(const Keeper& keeper, const LiveRun& run);

}  // namespace escapement::engine
