// How fast cron expressions are parsed and answered, and how slow the slowest answer is.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "escapement/base/clock.h"
#include "escapement/calendar/cron.h"
#include "escapement/calendar/describe.h"

namespace escapement::calendar {
namespace {

struct Source {
  const char* text;
  Dialect dialect;
};

constexpr Source kTypical[] = {
    {"*/15 * * * *", Dialect::kUnix},
    {"30 2 * * *", Dialect::kUnix},
    {"0 9-17 * * MON-FRI", Dialect::kUnix},
    {"0 0 1,15 * *", Dialect::kUnix},
    {"@daily", Dialect::kUnix},
    {"0 0/5 9-17 ? * MON-FRI", Dialect::kQuartz},
    {"0 0 12 LW * ?", Dialect::kQuartz},
    {"*/10 * * * * ?", Dialect::kQuartz},
    {"0 15 10 ? * 6#3", Dialect::kQuartz},
    {"0 30 2 L * ? 2020-2090", Dialect::kQuartz},
};

// Impossible dates, rare dates, and dates that are possible but always in a gap.
constexpr Source kNasty[] = {
    {"0 0 31 2 *", Dialect::kUnix},
    {"0 0 30 2 */7", Dialect::kUnix},
    {"0 0 31 2,4,6,9,11 *", Dialect::kUnix},
    {"0 0 29 2 */6", Dialect::kUnix},
    {"0 0 29 2 *", Dialect::kUnix},
    {"59 23 31 12 *", Dialect::kUnix},
    {"*/10 2 8-14 3 */7", Dialect::kUnix},
    {"*/10 2 25-31 3 */7", Dialect::kUnix},
    {"30 2 8-14 3 */7", Dialect::kUnix},
    {"* 2 8-14,25-31 3,9,10 */7", Dialect::kUnix},
    {"0 0 0 29 2 7", Dialect::kQuartz},
    {"0 0 0 L-30 2 ?", Dialect::kQuartz},
    {"0 0 0 L-30 * ?", Dialect::kQuartz},
    {"0 0 0 L-28 2 ?", Dialect::kQuartz},
    {"0 0 0 31W * SAT", Dialect::kQuartz},
    {"0 0 0 29W 2 MON", Dialect::kQuartz},
    {"0 0 0 15 * 1#1", Dialect::kQuartz},
    {"0 0 0 31 * 7#5", Dialect::kQuartz},
    {"0 0 0 31 12 7#5 2099", Dialect::kQuartz},
    {"0 0 0 1 1 ? 1970", Dialect::kQuartz},
    {"0 0 0 29 2 1#5 1970,2099", Dialect::kQuartz},
    {"0 0 0 29 2 7L 1971/2", Dialect::kQuartz},
    {"0 0 0 31 * 2 1971/29", Dialect::kQuartz},
    {"0 */10 2 ? 3 1#2", Dialect::kQuartz},
    {"59 59 23 LW * 6L", Dialect::kQuartz},
    {"0 0 0 1,2,3,4,5W,6W,7W,L-5,L-6W * 1L", Dialect::kQuartz},
};

constexpr const char* kZones[] = {"UTC",           "America/New_York",   "Europe/Berlin",
                                  "Pacific/Apia",  "Pacific/Kiritimati", "Africa/Casablanca",
                                  "Europe/Dublin", "Australia/Lord_Howe"};

constexpr std::int64_t kStarts[] = {-62167219200, -5364662400, -1,          1700000000,  1710053999,
                                    4102444800,   13569465600, 32503680000, 253000000000};

std::vector<Cron> crons(const char* zone_name) {
  const Zone zone = *Zone::load(zone_name);
  std::vector<Cron> result;
  for (const Source& source : kTypical) {
    result.push_back(*Cron::parse(source.text, source.dialect, zone));
  }
  return result;
}

void parses(benchmark::State& state) {
  const Zone zone = *Zone::load("Europe/Berlin");
  std::size_t at = 0;
  for (auto _ : state) {
    const Source& source = kTypical[at++ % std::size(kTypical)];
    benchmark::DoNotOptimize(Cron::parse(source.text, source.dialect, zone));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(parses);

// Each expression walks its own fires; it starts anew when it has none left.
void evaluations(benchmark::State& state, const char* zone_name, bool forward) {
  const std::vector<Cron> all = crons(zone_name);
  const Instant start = from_micros(INT64_C(1'710'000'000'000'000));
  std::vector<Instant> at(all.size(), start);
  std::size_t turn = 0;
  for (auto _ : state) {
    const auto found = forward ? all[turn].next(at[turn]) : all[turn].previous(at[turn]);
    at[turn] = found.value_or(start);
    turn = turn + 1 == all.size() ? 0 : turn + 1;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(evaluations, next_utc, "UTC", true);
BENCHMARK_CAPTURE(evaluations, previous_utc, "UTC", false);
BENCHMARK_CAPTURE(evaluations, next_new_york, "America/New_York", true);
BENCHMARK_CAPTURE(evaluations, previous_new_york, "America/New_York", false);
BENCHMARK_CAPTURE(evaluations, next_berlin, "Europe/Berlin", true);

void descriptions(benchmark::State& state) {
  const std::vector<Cron> all = crons("Europe/Berlin");
  std::size_t turn = 0;
  for (auto _ : state) benchmark::DoNotOptimize(describe(all[turn++ % all.size()]));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(descriptions);

constexpr int kRepetitions = 9;
constexpr int kAnswersEach = 32;  // the clock ticks in microseconds

// The median of some repetitions, in microseconds: what the machine does meanwhile is left out.
template <typename Ask>
double median_us(Clock& clock, Ask ask) {
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    const Elapsed start = clock.now().elapsed;
    for (int answer = 0; answer < kAnswersEach; ++answer) ask();
    const Duration took = clock.now().elapsed - start;
    times.push_back(static_cast<double>(took.count()) / kAnswersEach);
  }
  std::ranges::sort(times);
  return times[times.size() / 2];
}

struct Slowest {
  double us = 0;
  std::string label;
};

void measure(Clock& clock, const Cron& cron, Instant at, Slowest& slowest) {
  const double next = median_us(clock, [&] { benchmark::DoNotOptimize(cron.next(at)); });
  const double previous = median_us(clock, [&] { benchmark::DoNotOptimize(cron.previous(at)); });
  if (std::max(next, previous) <= slowest.us) return;
  slowest.us = std::max(next, previous);
  slowest.label = (next > previous ? "next " : "previous ") + cron.text() + " " +
                  cron.zone().name() + " " + format_instant(at);
}

void slowest_answer(benchmark::State& state) {
  const std::unique_ptr<Clock> clock = make_system_clock();
  Slowest slowest;
  for (auto _ : state) {
    for (const char* name : kZones) {
      const Zone zone = *Zone::load(name);
      for (const Source& source : kNasty) {
        const Cron cron = *Cron::parse(source.text, source.dialect, zone);
        for (const std::int64_t start : kStarts) {
          measure(*clock, cron, from_micros(start * 1'000'000), slowest);
        }
      }
    }
  }
  state.counters["worst_us"] = slowest.us;
  state.SetLabel(slowest.label);
}
BENCHMARK(slowest_answer)->Iterations(1);

}  // namespace
}  // namespace escapement::calendar

BENCHMARK_MAIN();
