#include "escapement/stores/memory_store.h"

#include <type_traits>

namespace escapement::stores {

using namespace engine;

namespace {

template <typename T>
Result<StoreValue> value_of(Result<T> result) {
  if (!result.ok()) return result.error();
  return StoreValue(*std::move(result));
}

struct Executor {
  MemoryState& state;
  Ticket ticket;

  Result<StoreValue> operator()(const Write& write) const {
    return value_of(state.apply(ticket, write));
  }
  Result<StoreValue> operator()(const LoadDue& load) const {
    return StoreValue(state.load_due(load));
  }
  Result<StoreValue> operator()(const FindTimers& find) const {
    return value_of(state.find_timers(find));
  }
  Result<StoreValue> operator()(const FindRun& find) const {
    return StoreValue(state.find_run(find.id));
  }
  Result<StoreValue> operator()(const FindOutcome& find) const {
    return StoreValue(Outcome{state.committed(find.write)});
  }
  Result<StoreValue> operator()(const ListRuns& list) const {
    return StoreValue(state.list_runs(list));
  }
  Result<StoreValue> operator()(const GetRun& get) const {
    return StoreValue(state.get_run(get.id));
  }
  Result<StoreValue> operator()(const AuditCounters&) const { return StoreValue(state.audit()); }
};

}  // namespace

Recovered open(MemoryState& state, bool bump_term) { return state.start(bump_term); }

StoreAnswer execute(MemoryState& state, Ticket ticket, const StoreRequest& request) {
  return {ticket, std::visit(Executor{state, ticket}, request)};
}

void MemoryStore::submit(Ticket ticket, StoreRequest request) {
  std::vector<StoreAnswer> answers;
  answers.push_back(execute(*state_, ticket, request));
  sink_(std::move(answers));
}

}  // namespace escapement::stores
