// Random: xoshiro256** seeded by splitmix64 (Blackman and Vigna, public domain).
//
// Own code instead of <random>, whose distributions differ between libraries: a seed must mean the
// same history everywhere. A value; one thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "escapement/base/time.h"

namespace escapement::simulation {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = splitmix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Both ends included. The tiny bias of the remainder does not matter here.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const auto width = static_cast<std::uint64_t>(high - low) + 1;
    return low + static_cast<std::int64_t>(next() % width);
  }
  Duration between(Duration low, Duration high) {
    return Duration{between(low.count(), high.count())};
  }
  // Every order of magnitude is as likely as any other: many short ones, few long ones.
  Duration skewed(Duration low, Duration high) {
    Duration top = high;
    while (top > 2 * low && between(0, 3) != 0) top /= 2;
    return between(low, top > low ? top : low);
  }

  bool percent(std::int64_t chance) { return between(0, 99) < chance; }
  bool one_in(std::int64_t n) { return between(1, n) == 1; }

  template <typename T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(from.size()) - 1))];
  }

  Random fork() { return Random{next()}; }

 private:
  static std::uint64_t splitmix(std::uint64_t& seed) {
    std::uint64_t z = (seed += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }

  std::array<std::uint64_t, 4> state_{};
};

}  // namespace escapement::simulation
