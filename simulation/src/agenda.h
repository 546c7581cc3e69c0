// Agenda: what will happen in the world, in the order of true time, then of entry.
//
// A heap of functions. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "escapement/base/time.h"

namespace escapement::simulation {

class Agenda {
 public:
  void add(Duration at, std::function<void()> what) {
    entries_.push_back({at, next_++, std::move(what)});
    std::push_heap(entries_.begin(), entries_.end(), later);
  }

  // Duration::max() when nothing is left.
  Duration earliest() const { return entries_.empty() ? Duration::max() : entries_.front().at; }

  std::function<void()> take() {
    std::pop_heap(entries_.begin(), entries_.end(), later);
    std::function<void()> what = std::move(entries_.back().what);
    entries_.pop_back();
    return what;
  }

 private:
  struct Entry {
    Duration at{};
    std::uint64_t number = 0;
    std::function<void()> what;
  };
  static bool later(const Entry& a, const Entry& b) {
    return std::pair{a.at, a.number} > std::pair{b.at, b.number};
  }

  std::vector<Entry> entries_;
  std::uint64_t next_ = 0;
};

}  // namespace escapement::simulation
