// Differential: one wheel and one sorted list, driven by the same bytes, compared at each step.
//
// The idea: bytes choose operations, so that a seeded generator (the property test) and libFuzzer
// drive the same check. The sorted list is the specification: keyed by (due tick, order of
// scheduling), it expires from the front. Bytes past the end read as 0, so all input is valid.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "escapement/timers/wheel.h"

namespace escapement::timers {

/// Reads numbers from bytes.
class ByteSource {
 public:
  ByteSource(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  bool exhausted() const { return at_ >= size_; }
  std::uint8_t byte() { return exhausted() ? 0 : data_[at_++]; }
  std::uint64_t word() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = (value << 8) | byte();
    return value;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

class Differential {
 public:
  Differential(const std::uint8_t* data, std::size_t size)
      : source_(data, size),
        now_(start(source_)),
        cascade_limit_(std::size_t{1} + source_.byte() % 12),
        wheel_(now_, {.cascade_limit = cascade_limit_}) {}

  /// Runs all the bytes and drains the wheel; returns the first difference, empty if none.
  std::string run() {
    while (!source_.exhausted() && failure_.empty()) {
      step();
      compare_state();
    }
    drain();
    return failure_;
  }

  std::size_t steps() const { return steps_; }

 private:
  struct Expected {
    Handle handle;
    Tick deadline;
    std::uint64_t payload;
  };
  using Key = std::pair<Tick, std::uint64_t>;

  static Tick start(ByteSource& source) {
    const Tick word = source.word();
    return (word & 3) == 0 ? 0 : word >> (word & 63);
  }

  void step() {
    ++steps_;
    const std::uint8_t operation = source_.byte();
    if (operation < 110) {
      schedule(random_deadline());
    } else if (operation < 135) {
      cancel(random_handle());
    } else if (operation < 145) {
      cancel(earliest_handle());
    } else if (operation < 170) {
      reschedule(random_handle(), random_deadline());
    } else if (operation < 185) {
      advance_by_expiry();
    } else {
      advance(random_time());
    }
  }

  // Distances of every magnitude, ends of slots of every level, clusters, the past, the maximum.
  Tick random_deadline() {
    const std::uint8_t kind = source_.byte();
    if (kind < 20) return now_ - std::min<Tick>(now_, source_.byte());
    if (kind < 25) return UINT64_MAX - (kind & 1);
    if (kind < 90) return later(source_.byte() & 15);
    if (kind < 120) return clustered_ + (source_.byte() & 3);
    const Tick distance = source_.word() >> (kind & 63);
    if (kind < 170) return later(distance);
    const int shift = (kind % 10 + 1) * WheelSlots::kDigitBits;
    clustered_ = ((later(distance) >> shift) << shift) + (source_.byte() & 3) - 1;
    return clustered_;
  }

  Tick later(Tick distance) const { return now_ + std::min(distance, UINT64_MAX - now_); }

  Tick random_time() {
    const std::uint8_t kind = source_.byte();
    if (kind < 60) return now_;
    if (kind < 160) return later(source_.byte() & 31);
    if (kind < 200) return std::max(now_, std::min(clustered_, later(1 << 24)));
    if (kind < 250) return later(Tick{source_.byte()} << (kind % 26));
    if (kind < 255 || source_.byte() < 128) return later(source_.word() >> (kind & 31));
    return UINT64_MAX;
  }

  Handle random_handle() {
    const std::uint8_t pick = source_.byte();
    if (handles_.empty()) return {};
    const std::size_t recent = std::min<std::size_t>(handles_.size(), 64);
    return handles_[handles_.size() - 1 - pick % recent];
  }

  Handle earliest_handle() const {
    return expected_.empty() ? Handle{} : expected_.begin()->second.handle;
  }

  void schedule(Tick deadline) {
    const std::optional<Tick> before = wheel_.next_expiry();
    const std::uint64_t payload = ++sequence_;
    const ScheduleResult result = wheel_.schedule(deadline, payload);
    const Tick due = std::max(deadline, now_);
    expect(result.earliest == (!before || due < *before), "earliest");
    expect(!result.handle.is_null() && !keys_.contains(result.handle), "fresh handle");
    add({result.handle, deadline, payload}, due);
    handles_.push_back(result.handle);
  }

  void add(const Expected& timer, Tick due) {
    const Key key{due, ++sequence_};
    expected_.emplace(key, timer);
    keys_.emplace(timer.handle, key);
  }

  std::optional<Expected> remove(Handle handle) {
    const auto key = keys_.find(handle);
    if (key == keys_.end()) return std::nullopt;
    const auto timer = expected_.find(key->second);
    const Expected found = timer->second;
    expected_.erase(timer);
    keys_.erase(key);
    return found;
  }

  void cancel(Handle handle) {
    const std::optional<Expected> removed = remove(handle);
    if (source_.byte() & 1) {
      expect(wheel_.cancel(handle) == removed.has_value(), "cancel");
    } else {
      const std::optional<std::uint64_t> payload = wheel_.take(handle);
      expect(payload.has_value() == removed.has_value(), "take");
      expect(!payload || *payload == removed->payload, "payload taken");
    }
    expect(!wheel_.cancel(handle), "second cancel");
  }

  void reschedule(Handle handle, Tick deadline) {
    const std::optional<Expected> removed = remove(handle);
    expect(wheel_.reschedule(handle, deadline) == removed.has_value(), "reschedule");
    if (removed) add({handle, deadline, removed->payload}, std::max(deadline, now_));
  }

  // As a sleeper does: to the next expiry, or one short of it, which must expire nothing.
  void advance_by_expiry() {
    const std::optional<Tick> next = wheel_.next_expiry();
    if (!next || *next <= now_) return advance(now_);
    advance(*next - (source_.byte() & 1));
  }

  void advance(Tick now) {
    const std::uint8_t choice = source_.byte();
    const std::size_t limit = choice < 200 ? choice & 7 : 1000;
    now_ = now;
    advance_once(limit);
  }

  AdvanceResult advance_once(std::size_t limit) {
    std::vector<Wheel<>::Expired> out;
    const AdvanceResult result = wheel_.advance(now_, limit, out);
    expect(result.expired == out.size() && out.size() <= limit, "expired count");
    expect(result.touched <= result.expired + cascade_limit_, "bounded work");
    for (const auto& expired : out) expect_next(expired);
    const bool due = !expected_.empty() && expected_.begin()->first.first <= now_;
    expect(result.more || !due, "more");
    expect(!result.more || result.touched > 0 || limit == 0, "progress");
    return result;
  }

  void expect_next(const Wheel<>::Expired& expired) {
    if (expected_.empty()) return expect(false, "expired out of nothing");
    const auto& [key, timer] = *expected_.begin();
    expect(key.first <= now_, "never early");
    expect(timer.handle == expired.handle, "order");
    expect(timer.deadline == expired.deadline, "deadline expired");
    expect(timer.payload == expired.payload, "payload expired");
    expect(!wheel_.contains(expired.handle), "expired handle is dead");
    remove(timer.handle);
  }

  void compare_state() {
    wheel_.check_invariants();
    expect(wheel_.size() == expected_.size(), "size");
    expect(wheel_.now() == now_, "now");
    compare_next_expiry();
    const Handle handle = random_handle();
    const auto key = keys_.find(handle);
    const bool pending = key != keys_.end();
    expect(wheel_.contains(handle) == pending, "contains");
    expect(wheel_.deadline(handle).has_value() == pending, "deadline presence");
    expect((wheel_.payload(handle) != nullptr) == pending, "payload presence");
    if (!pending || !failure_.empty()) return;
    const Expected& timer = expected_.at(key->second);
    expect(wheel_.deadline(handle) == timer.deadline, "deadline");
    expect(*wheel_.payload(handle) == timer.payload, "payload");
  }

  // No slot can hold more than there are: up to kRescanLimit the answer has to be exact.
  void compare_next_expiry() {
    const std::optional<Tick> next = wheel_.next_expiry();
    expect(next.has_value() == !expected_.empty(), "next_expiry presence");
    if (!next || expected_.empty()) return;
    const Tick due = expected_.begin()->first.first;
    const bool exact = expected_.size() <= Wheel<>::kRescanLimit;
    expect(exact ? *next == due : *next <= due, "next_expiry");
  }

  // By next_expiry alone, everything must come out, in few wake-ups a timer.
  void drain() {
    std::size_t calls = (expected_.size() + 1) * (WheelSlots::kLevels + 2);
    while (failure_.empty() && !expected_.empty()) {
      expect(calls-- > 0, "drained without spinning");
      now_ = std::max(now_, wheel_.next_expiry().value_or(now_));
      advance_once(1000);
    }
    expect(wheel_.empty(), "empty at the end");
    wheel_.check_invariants();
  }

  void expect(bool condition, const char* what) {
    if (condition || !failure_.empty()) return;
    std::ostringstream text;
    text << what << " differs at step " << steps_ << ", now " << now_;
    failure_ = text.str();
  }

  ByteSource source_;
  Tick now_;
  std::size_t cascade_limit_;
  Wheel<> wheel_;
  std::map<Key, Expected> expected_;
  std::map<Handle, Key> keys_;
  std::vector<Handle> handles_;
  std::uint64_t sequence_ = 0;
  Tick clustered_ = 1000;
  std::size_t steps_ = 0;
  std::string failure_;
};

}  // namespace escapement::timers
