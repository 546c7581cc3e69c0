// Queries: what stands in the store, with the states of live runs as they are now.
#pragma once

#include "dispatcher.h"
#include "keeper.h"

namespace escapement::engine {

class Queries {
 public:
  Queries(Core& core, Keeper& keeper, Dispatcher& dispatcher)
      : core_(core), keeper_(keeper), dispatcher_(dispatcher) {}

  void list_runs(std::uint64_t number, const QueryRuns& query);
  void show_run(std::uint64_t number, RunId id);
  void metrics(std::uint64_t number);
  // Has the store count its live rows now and then, while something changes.
  void audit();

 private:
  // Armed and running runs are known to this process only.
  void list_live(std::uint64_t number, const ListRuns& filter);
  void on_audit(Result<StoreValue> result);

  Core& core_;
  Keeper& keeper_;
  Dispatcher& dispatcher_;
  Elapsed next_audit_{};
  bool auditing_ = false;
  domain::Counters audited_;
};

}  // namespace escapement::engine
