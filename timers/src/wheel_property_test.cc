// Random operation sequences: the wheel must do what a sorted list does, step by step.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "wheel_differential.h"

namespace escapement::timers {
namespace {

// ESCAPEMENT_SEED=n in the environment repeats or varies a run.
std::uint64_t base_seed() {
  const char* text = std::getenv("ESCAPEMENT_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 20240229;
}

std::vector<std::uint8_t> random_bytes(std::uint64_t seed, std::size_t size) {
  std::mt19937_64 random(seed);
  std::vector<std::uint8_t> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

struct Sequences {
  std::uint64_t count;
  std::size_t bytes;
};

std::size_t run_sequences(Sequences sequences) {
  const std::uint64_t base = base_seed();
  std::cout << "ESCAPEMENT_SEED=" << base << "\n";
  std::size_t steps = 0;
  for (std::uint64_t i = 0; i < sequences.count; ++i) {
    const auto bytes = random_bytes(base + i, sequences.bytes);
    Differential differential(bytes.data(), bytes.size());
    const std::string difference = differential.run();
    EXPECT_EQ(difference, "") << "repeat with ESCAPEMENT_SEED=" << base + i;
    if (!difference.empty()) break;
    steps += differential.steps();
  }
  return steps;
}

TEST(WheelProperty, ShortSequencesMatchASortedList) {
  EXPECT_GT(run_sequences({.count = 4000, .bytes = 400}), 4000U * 20);
}

TEST(WheelProperty, LongSequencesWithManyTimersMatchASortedList) {
  EXPECT_GT(run_sequences({.count = 60, .bytes = 12000}), 60U * 500);
}

// 300 timers in one slot of level 2, more than next_expiry looks through, then anything.
TEST(WheelProperty, CrowdedSlotsMatchASortedList) {
  for (std::uint64_t seed = base_seed(); seed < base_seed() + 100; ++seed) {
    std::mt19937_64 random(seed);
    std::vector<std::uint8_t> bytes(8, 0);
    bytes.push_back(static_cast<std::uint8_t>(random()));
    for (int i = 0; i < 300; ++i) {
      const auto due = static_cast<std::uint16_t>(0x1000 | (random() & 0xfff));
      bytes.insert(bytes.end(), {0, 128, 0, 0, 0, 0, 0, 0, static_cast<std::uint8_t>(due >> 8),
                                 static_cast<std::uint8_t>(due), 0});
    }
    const auto tail = random_bytes(seed, 2000);
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    EXPECT_EQ(Differential(bytes.data(), bytes.size()).run(), "")
        << "repeat with ESCAPEMENT_SEED=" << seed;
  }
}

}  // namespace
}  // namespace escapement::timers
