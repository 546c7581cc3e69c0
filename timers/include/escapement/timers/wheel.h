// Wheel: any number of timers, ticks in, expired timers out. One thread, no clock.
//
// The idea: a hierarchical timing wheel is a radix sort that does only the part that is needed
// next. Level 0 has a slot for each of 64 ticks, level 1 for each of 64 times 64, up to level 10.
// A timer is put where its due tick first differs from the cursor, and moves down when the cursor
// enters its slot: a bounded number of timers per call, oldest first, from where the call
// before stopped. An example, with a cascade limit of 1 (the default is 1024):
//
//   now 0     A at 5, B at 70, C at 100, E at 70, D at 130
//             level 0: slot 5 {A}            level 1: slot 1 [64,128) {B C E}, slot 2 {D}
//             next_expiry 5; after advance(5), which expires A, it is 70: a slot knows its
//             earliest timer, so the sleeper wakes once, not at 64, at 70.
//   now 70    the cursor enters slot 1 of level 1. One timer may move:
//             level 0: slot 6 {B}            level 1: slot 1 {C E}, slot 2 {D}
//             B is due, but so may be others in {C E}: nothing expires, `more` is set.
//   F at 70   must expire after E, which is still above: F joins {C E F}, not {B}.
//   now 70    again, three times: C to slot 36 of level 0, E and F to slot 6 behind B. In the
//             call that empties slot 1, level 0 has all there is: B, E, F expire, in that order.
//
// Cost: schedule, cancel, reschedule O(1) (and a scan over at most 11 levels for `earliest`);
// a timer moves at most 10 times in its life; a jump over empty time costs O(levels). Memory:
// 12 KB, and 40 bytes a timer (8-byte payload) in chunks of 256, whatever the horizon.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "escapement/timers/check.h"
#include "escapement/timers/handle.h"
#include "escapement/timers/record_pool.h"
#include "escapement/timers/wheel_slots.h"

namespace escapement::timers {

struct WheelOptions {
  /// How many timers one advance may move to lower levels, at least 1.
  std::size_t cascade_limit = 1024;
};

struct ScheduleResult {
  Handle handle;
  /// True when this timer is due before everything that was pending: re-arm for it.
  bool earliest = false;
};

struct AdvanceResult {
  /// Timers appended to the output.
  std::size_t expired = 0;
  /// Timers handled: expired ones and moved ones, <= expired + cascade_limit.
  std::size_t touched = 0;
  /// Something is due, or may be once more timers have moved: advance again, also to the same now.
  bool more = false;
};

template <typename Payload>
struct ExpiredTimer {
  /// What schedule returned. It names no pending timer any more.
  Handle handle;
  /// The deadline as it was asked for: `now - deadline` is the lateness.
  Tick deadline;
  Payload payload;
};

/// Payload: any type that moves without throwing.
template <typename Payload = std::uint64_t>
class Wheel {
  static_assert(std::is_nothrow_move_constructible_v<Payload>);

 public:
  using Expired = ExpiredTimer<Payload>;

  /// next_expiry looks through at most this many timers of a slot to make its answer exact.
  static constexpr std::size_t kRescanLimit = 64;

  explicit Wheel(Tick now = 0, WheelOptions options = {})
      : now_(now), cascade_limit_(options.cascade_limit), slots_(now) {
    ESCAPEMENT_TIMERS_CHECK(cascade_limit_ >= 1);
  }
  ~Wheel() {
    if constexpr (!std::is_trivially_destructible_v<Payload>) {
      pool_.for_each([](Record& record) { std::destroy_at(&record.payload); });
    }
  }
  Wheel(const Wheel&) = delete;
  Wheel& operator=(const Wheel&) = delete;

  /// Adds a timer. It is due at `deadline`, or at now() if that has passed: it then takes its
  /// place behind what was due by now() already, and expires in the next advance, never in here.
  ScheduleResult schedule(Tick deadline, Payload payload) {
    const std::uint32_t index = pool_.acquire();
    std::construct_at(&pool_[index].payload, std::move(payload));
    return {pool_.handle_of(index), enter(index, deadline)};
  }

  /// Removes a pending timer: true exactly once for each timer that did not expire.
  bool cancel(Handle handle) { return take(handle).has_value(); }

  /// Removes a pending timer and returns its payload; nothing if the handle is dead.
  std::optional<Payload> take(Handle handle) {
    if (!contains(handle)) return std::nullopt;
    unlink(handle.index);
    return release(handle.index);
  }

  /// Moves a pending timer to a new deadline, as if scheduled anew under the same handle. False
  /// if the handle is dead. Compare the deadline with what you are armed for, or ask next_expiry.
  bool reschedule(Handle handle, Tick deadline) {
    if (!contains(handle)) return false;
    unlink(handle.index);
    enter(handle.index, deadline);
    return true;
  }

  bool contains(Handle handle) const { return pool_.find(handle) != nullptr; }

  /// The deadline of a pending timer as it was asked for.
  std::optional<Tick> deadline(Handle handle) const {
    const Record* record = pool_.find(handle);
    return record ? std::optional(record->deadline) : std::nullopt;
  }

  /// The payload of a pending timer, or null. Valid until the timer expires or is cancelled.
  Payload* payload(Handle handle) {
    return contains(handle) ? &pool_[handle.index].payload : nullptr;
  }
  const Payload* payload(Handle handle) const {
    const Record* record = pool_.find(handle);
    return record ? &record->payload : nullptr;
  }

  /// When to advance next; nothing if no timer is pending. Exact, but for one case: the earliest
  /// timer of a slot above level 0 was removed and over kRescanLimit others stay in that slot.
  /// Then it is what the removed one left, a lower bound; advancing to it (until `more` is
  /// false) sorts that slot and makes the answer exact: one wake-up too many, never a spin. A
  /// value <= now() means that something is due, or has to be moved, now.
  std::optional<Tick> next_expiry() const {
    while (const auto first = slots_.earliest()) {
      if (!slots_.stale(first->id) || !make_exact(first->id)) return first->min;
    }
    return std::nullopt;
  }

  /// Moves time to `now` (never backwards: a CHECK) and appends to `out` at most `limit` timers
  /// that are due, by due tick and within a tick by order of scheduling; never one before its
  /// deadline. Work is bounded by `limit` and the cascade limit: see AdvanceResult::more.
  /// Between calls anything may be scheduled and cancelled.
  AdvanceResult advance(Tick now, std::size_t limit, std::vector<Expired>& out) {
    ESCAPEMENT_TIMERS_CHECK(now >= now_);
    now_ = now;
    Work work{limit, cascade_limit_};
    while (const auto first = slots_.earliest()) {
      if (first->min > now) break;
      slots_.move_cursor(first->min);
      if (!settle(first->id, work, out)) break;
    }
    const auto rest = slots_.earliest();
    const bool more = rest && rest->min <= now;
    if (!more) slots_.move_cursor(now);
    move_ahead(work);
    const std::size_t expired = limit - work.expiries;
    return {expired, expired + cascade_limit_ - work.moves, more};
  }

  std::size_t size() const { return pool_.size(); }
  bool empty() const { return size() == 0; }

  /// The `now` of the last advance, or of construction.
  Tick now() const { return now_; }

  /// Bytes held, this object included.
  std::size_t memory_bytes() const { return sizeof(*this) + pool_.memory_bytes(); }

  /// Aborts unless the whole structure is consistent. O(timers): for tests.
  void check_invariants() const {
    pool_.check_invariants();
    slots_.check_invariants();
    ESCAPEMENT_TIMERS_CHECK(slots_.cursor() <= now_);
    std::size_t linked = 0;
    for (SlotId id = 0; id < WheelSlots::kLevels * WheelSlots::kSlots; ++id) {
      if (slots_[id].head != kNil) linked += check_slot(id);
    }
    ESCAPEMENT_TIMERS_CHECK(linked == size());
    ESCAPEMENT_TIMERS_CHECK(slots_.earliest().has_value() == !empty());
  }

 private:
  struct Record {
    Record() noexcept {}
    ~Record() {}
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;

    Tick due = 0;
    Tick deadline = 0;
    std::uint32_t next = kNil;
    std::uint32_t previous = kNil;
    std::uint32_t generation = 0;
    SlotId slot = 0;
    union {
      Payload payload;
    };
  };

  // What is left of one call's bounds.
  struct Work {
    std::size_t expiries;
    std::size_t moves;
  };

  // Puts a record in its slot; true when it is due before all that was pending.
  bool enter(std::uint32_t index, Tick deadline) {
    Record& record = pool_[index];
    record.deadline = deadline;
    record.due = std::max(deadline, now_);
    const auto first = slots_.earliest();
    link(index, slots_.place(record.due));
    return !first || record.due < first->min;
  }

  void link(std::uint32_t index, SlotId id) {
    WheelSlots::Slot& slot = slots_[id];
    Record& record = pool_[index];
    record.slot = id;
    record.next = kNil;
    record.previous = slot.tail;
    (slot.tail == kNil ? slot.head : pool_[slot.tail].next) = index;
    slot.tail = index;
    slots_.added(id, record.due);
  }

  void unlink(std::uint32_t index) {
    const Record& record = pool_[index];
    WheelSlots::Slot& slot = slots_[record.slot];
    (record.previous == kNil ? slot.head : pool_[record.previous].next) = record.next;
    (record.next == kNil ? slot.tail : pool_[record.next].previous) = record.previous;
    slots_.removed(record.slot, record.due);
  }

  Payload release(std::uint32_t index) {
    Payload payload = std::move(pool_[index].payload);
    std::destroy_at(&pool_[index].payload);
    pool_.release(index);
    return payload;
  }

  // Empties a slot whose time has come, upwards of level 0 by moving its timers down. False when
  // a bound was reached first.
  bool settle(SlotId id, Work& work, std::vector<Expired>& out) {
    if (WheelSlots::level_of(id) > 0) return cascade(id, work);
    while (slots_[id].head != kNil) {
      if (work.expiries == 0) return false;
      --work.expiries;
      expire(slots_[id].head, out);
    }
    return true;
  }

  void expire(std::uint32_t index, std::vector<Expired>& out) {
    const Handle handle = pool_.handle_of(index);
    const Tick deadline = pool_[index].deadline;
    unlink(index);
    out.push_back({handle, deadline, release(index)});
  }

  bool cascade(SlotId id, Work& work) {
    while (slots_[id].head != kNil) {
      if (work.moves == 0) return false;
      --work.moves;
      const std::uint32_t index = slots_[id].head;
      unlink(index);
      link(index, slots_.place(pool_[index].due, WheelSlots::level_of(id)));
    }
    return true;
  }

  // Spends the moves that are left on slots the cursor is in, before their timers are due.
  void move_ahead(Work& work) {
    while (const auto own = slots_.lowest_own()) {
      if (!cascade(*own, work)) return;
    }
  }

  bool make_exact(SlotId id) const {
    Tick min = UINT64_MAX;
    std::uint32_t index = slots_[id].head;
    for (std::size_t i = 0; index != kNil; index = pool_[index].next) {
      if (++i > kRescanLimit) return false;
      min = std::min(min, pool_[index].due);
    }
    slots_.set_exact(id, min);
    return true;
  }

  std::size_t check_slot(SlotId id) const {
    const WheelSlots::Slot& slot = slots_[id];
    Tick min = UINT64_MAX;
    std::size_t count = 0;
    std::uint32_t previous = kNil;
    for (std::uint32_t i = slot.head; i != kNil; previous = i, i = pool_[i].next, ++count) {
      const Record& record = pool_[i];
      ESCAPEMENT_TIMERS_CHECK(record.generation != 0);
      ESCAPEMENT_TIMERS_CHECK(record.slot == id && record.previous == previous);
      ESCAPEMENT_TIMERS_CHECK(slots_.may_hold(id, record.due));
      ESCAPEMENT_TIMERS_CHECK(record.due >= record.deadline);
      min = std::min(min, record.due);
    }
    ESCAPEMENT_TIMERS_CHECK(slot.tail == previous);
    ESCAPEMENT_TIMERS_CHECK(slots_.stale(id) ? slot.min <= min : slot.min == min);
    return count;
  }

  Tick now_;
  std::size_t cascade_limit_;
  RecordPool<Record> pool_;
  mutable WheelSlots slots_;  // next_expiry keeps the exact bound it has found
};

}  // namespace escapement::timers
