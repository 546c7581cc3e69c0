#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

#include "escapement/simulation/simulation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace escapement::simulation {
namespace {

constexpr std::uint64_t kShards = 10;
constexpr std::uint64_t kSeedsPerShard = 30;

// Histories that still break a promise; README.md says which. They are reported, not hidden: take a
// seed out of this list with the change that mends it. The long tier runs them all.
constexpr std::uint64_t kOpenSeeds[] = {26, 44, 77, 90, 94, 137, 269};

bool is_open(std::uint64_t seed) {
  return std::find(std::begin(kOpenSeeds), std::end(kOpenSeeds), seed) != std::end(kOpenSeeds);
}

bool is_long() { return std::getenv("ESCAPEMENT_LONG") != nullptr; }

RareCounts run_range(std::uint64_t first, std::uint64_t count) {
  print_seed_on_abort();
  RareCounts rare{};
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    if (is_open(seed) && !is_long()) continue;
    const SimReport report = run_seed({.seed = seed});
    EXPECT_TRUE(report.violations.empty()) << format_report(report);
    std::int64_t faults = 0;
    for (const auto& [kind, times] : report.faults) faults += times;
    EXPECT_GE(faults, 10) << format_report(report);
    EXPECT_GE(report.simulated, std::chrono::hours{1});
    for (std::size_t i = 0; i < rare.size(); ++i) rare[i] += report.rare[i];
  }
  return rare;
}

// Every shard alone has to reach every rare state, so together they do too.
class Campaign : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Campaign, PromisesHoldAndRareStatesAreReached) {
  const std::uint64_t seeds = is_long() ? 10 * kSeedsPerShard : kSeedsPerShard;
  const RareCounts rare = run_range(1 + GetParam() * seeds, seeds);
  for (std::size_t i = 0; i < rare.size(); ++i) {
    EXPECT_GT(rare[i], 0) << "never reached: " << to_string(static_cast<Rare>(i));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Campaign, testing::Range(std::uint64_t{0}, kShards));

TEST(Simulation, SameSeedGivesTheSameHistory) {
  const SimReport first = run_seed({.seed = 42});
  const SimReport second = run_seed({.seed = 42});
  EXPECT_EQ(first.trace_hash, second.trace_hash);
  EXPECT_EQ(first.dispatches, second.dispatches);
  EXPECT_NE(first.trace_hash, run_seed({.seed = 43}).trace_hash);
}

// ---- guards -----------------------------------------------------------------------------------

using Guards = engine::EngineOptions::Guards;

// What the checkers said about a few seeds without the guard, up to the first that names `checker`.
// That the same seeds are clean with it is what the campaign says.
std::string verdicts(const Guards& guards, std::string_view checker) {
  std::string said;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const SimReport report = run_seed({.seed = seed, .guards = guards});
    for (const Violation& violation : report.violations) {
      said += violation.checker + ": " + violation.message + '\n';
      if (violation.checker.starts_with(checker)) return said;
    }
  }
  return said;
}

TEST(Guards, ArmBeforeDispatchTurnsRedWhenTakenOut) {
  EXPECT_THAT(verdicts({.arm_before_dispatch = false}, "one dispatch per attempt"),
              testing::HasSubstr("one dispatch per attempt"));
}

TEST(Guards, RoundUpTurnsRedWhenTakenOut) {
  EXPECT_THAT(verdicts({.round_up = false}, "never early"), testing::HasSubstr("never early"));
}

TEST(Guards, CancelDisarmsFirstTurnsRedWhenTakenOut) {
  EXPECT_THAT(verdicts({.cancel_disarms_first = false}, "cancel wins or fire wins"),
              testing::HasSubstr("cancel wins or fire wins"));
}

TEST(Guards, BumpTermTurnsRedWhenTakenOut) {
  EXPECT_THAT(verdicts({.bump_term = false}, "terms only grow"),
              testing::HasSubstr("terms only grow"));
}

TEST(Guards, WatermarkTurnsRedWhenTakenOut) {
  EXPECT_THAT(verdicts({.watermark = false}, "nothing due is left"),
              testing::HasSubstr("nothing due is left"));
}

}  // namespace
}  // namespace escapement::simulation
