// The wheel beside std::priority_queue (lazy cancel, with collection) and std::multimap, in one
// run. Deadlines are spread over 30 s of 1 ms ticks. Compare ratios within a run, not figures
// between machines.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <utility>
#include <vector>

#include "escapement/timers/wheel.h"

namespace {

using escapement::timers::AdvanceResult;
using escapement::timers::Tick;
using escapement::timers::Wheel;

constexpr Tick kSpan = 30000;

class WheelTimers {
 public:
  using Handle = escapement::timers::Handle;
  Handle schedule(Tick due, std::uint64_t id) { return wheel_.schedule(due, id).handle; }
  void cancel(Handle handle) { wheel_.cancel(handle); }
  std::size_t advance(Tick now) {
    out_.clear();
    AdvanceResult result;
    do {
      result = wheel_.advance(now, 4096, out_);
      worst_ = std::max(worst_, result.touched);
    } while (result.more);
    return out_.size();
  }
  std::size_t worst_touched() const { return worst_; }

 private:
  Wheel<> wheel_;
  std::vector<Wheel<>::Expired> out_;
  std::size_t worst_ = 0;
};

// A cancelled entry stays in the heap until it comes up, or until the dead outnumber the living
// and are collected; the flags tell which are alive.
class HeapTimers {
 public:
  using Handle = std::size_t;
  Handle schedule(Tick due, std::uint64_t) {
    const Handle handle = alive_.size();
    alive_.push_back(true);
    heap_.emplace(due, handle);
    ++live_;
    return handle;
  }
  void cancel(Handle handle) {
    alive_[handle] = false;
    if (heap_.size() > 2 * --live_ + 64) heap_.collect(alive_);
  }
  std::size_t advance(Tick now) {
    std::size_t expired = 0;
    for (; !heap_.empty() && heap_.top().first <= now; heap_.pop()) {
      expired += alive_[heap_.top().second];
    }
    live_ -= expired;
    return expired;
  }
  std::size_t worst_touched() const { return 0; }

 private:
  using Entry = std::pair<Tick, Handle>;
  struct Heap : std::priority_queue<Entry, std::vector<Entry>, std::greater<>> {
    void collect(const std::vector<bool>& alive) {
      std::erase_if(c, [&](const Entry& entry) { return !alive[entry.second]; });
      std::make_heap(c.begin(), c.end(), comp);
    }
  };
  Heap heap_;
  std::vector<bool> alive_;
  std::size_t live_ = 0;
};

class MapTimers {
 public:
  using Handle = std::multimap<Tick, std::uint64_t>::iterator;
  Handle schedule(Tick due, std::uint64_t id) { return map_.emplace(due, id); }
  void cancel(Handle handle) { map_.erase(handle); }
  std::size_t advance(Tick now) {
    std::size_t expired = 0;
    for (; !map_.empty() && map_.begin()->first <= now; ++expired) map_.erase(map_.begin());
    return expired;
  }
  std::size_t worst_touched() const { return 0; }

 private:
  std::multimap<Tick, std::uint64_t> map_;
};

template <typename Timers>
std::vector<typename Timers::Handle> fill(Timers& timers, std::uint64_t count) {
  std::mt19937_64 random(1);
  std::vector<typename Timers::Handle> handles;
  handles.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    handles.push_back(timers.schedule(1 + random() % kSpan, i));
  }
  return handles;
}

template <typename Timers>
void BM_Schedule(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  std::mt19937_64 random(1);
  for (auto _ : state) {
    state.PauseTiming();
    {
      Timers timers;
      state.ResumeTiming();
      for (std::uint64_t i = 0; i < count; ++i) {
        benchmark::DoNotOptimize(timers.schedule(1 + random() % kSpan, i));
      }
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

template <typename Timers>
void BM_CancelAndSchedule(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  Timers timers;
  auto handles = fill(timers, count);
  std::mt19937_64 random(2);
  for (auto _ : state) {
    auto& handle = handles[random() % count];
    timers.cancel(handle);
    handle = timers.schedule(1 + random() % kSpan, 0);
  }
  state.SetItemsProcessed(state.iterations());
}

template <typename Timers>
void BM_ExpireAll(benchmark::State& state) {
  const auto count = static_cast<std::uint64_t>(state.range(0));
  std::size_t worst = 0;
  std::size_t expired = 0;
  for (auto _ : state) {
    state.PauseTiming();
    {
      Timers timers;
      fill(timers, count);
      state.ResumeTiming();
      for (Tick now = 1; now <= kSpan; ++now) expired += timers.advance(now);
      state.PauseTiming();
      worst = std::max(worst, timers.worst_touched());
    }
    state.ResumeTiming();
  }
  if (expired != count * state.iterations()) state.SkipWithError("timers were lost");
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.counters["worst_touched"] = static_cast<double>(worst);
}

#define ESCAPEMENT_WHEEL_BENCH(timers)                                                  \
  BENCHMARK_TEMPLATE(BM_Schedule, timers)->Arg(1000000)->Unit(benchmark::kMillisecond); \
  BENCHMARK_TEMPLATE(BM_CancelAndSchedule, timers)->Arg(1000)->Arg(1000000);            \
  BENCHMARK_TEMPLATE(BM_ExpireAll, timers)->Arg(1000000)->Unit(benchmark::kMillisecond)

ESCAPEMENT_WHEEL_BENCH(WheelTimers);
ESCAPEMENT_WHEEL_BENCH(HeapTimers);
ESCAPEMENT_WHEEL_BENCH(MapTimers);

}  // namespace

BENCHMARK_MAIN();
