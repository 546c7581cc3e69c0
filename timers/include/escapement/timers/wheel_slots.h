// WheelSlots: which slot a due tick belongs in, and where the earliest timer is.
//
// The idea: write ticks in base 64. The level of a timer is the highest digit in which its due
// tick differs from the cursor, its slot is that digit: 11 levels cover 64 bits, and all a level
// holds is later than all the levels below hold. While every due tick is >= the cursor, moving
// the cursor moves no timer; it only turns the slots it enters into its *own* slots, whose timers
// now belong further down. Each slot knows a lower bound of its due ticks (`min`, exact unless
// marked stale), each level a bitmap of its occupied slots.
//
// Cost: place O(1); earliest and move_cursor O(levels), whatever the distance; 11.5 KB. The lists
// themselves belong to the wheel: this class knows their heads only. One thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>

#include "escapement/timers/check.h"
#include "escapement/timers/handle.h"
#include "escapement/timers/record_pool.h"

namespace escapement::timers {

/// A slot's place: level * 64 + digit.
using SlotId = std::uint16_t;

class WheelSlots {
 public:
  static constexpr int kDigitBits = 6;
  static constexpr int kSlots = 1 << kDigitBits;
  static constexpr int kLevels = (64 + kDigitBits - 1) / kDigitBits;

  /// Head and tail of a list of record indices, oldest first; `min` bounds its due ticks below.
  struct Slot {
    std::uint32_t head = kNil;
    std::uint32_t tail = kNil;
    Tick min = 0;
  };

  struct Earliest {
    SlotId id;
    Tick min;
  };

  explicit WheelSlots(Tick cursor) : cursor_(cursor) {}

  static constexpr int level_of(SlotId id) { return id >> kDigitBits; }

  /// No timer in the slots is due before the cursor.
  Tick cursor() const { return cursor_; }

  Slot& operator[](SlotId id) { return slots_[id]; }
  const Slot& operator[](SlotId id) const { return slots_[id]; }

  /// The slot for a timer due at `due` (>= cursor) among the levels under `below`. An own slot
  /// that still holds timers takes it before any level under that one: an older timer for the
  /// same tick may be in there, and must go first.
  SlotId place(Tick due, int below = kLevels) const {
    const int level = digit_that_differs(due ^ cursor_);
    const unsigned waiting = own_ & ((1U << below) - 1) & ~((2U << level) - 1);
    return id_of(waiting == 0 ? level : std::bit_width(waiting) - 1, due);
  }

  /// Tells that a timer due at `due` joined the slot's list.
  void added(SlotId id, Tick due) {
    Slot& slot = slots_[id];
    const int level = level_of(id);
    const bool was_empty = (occupied_[level] & bit_of(id)) == 0;
    if (!was_empty && due > slot.min) return;
    slot.min = due;
    stale_[level] &= ~bit_of(id);
    occupied_[level] |= bit_of(id);
    levels_ |= 1U << level;
  }

  /// Tells that a timer due at `due` left the slot's list.
  void removed(SlotId id, Tick due) {
    const Slot& slot = slots_[id];
    const int level = level_of(id);
    if (slot.head == kNil) {
      occupied_[level] &= ~bit_of(id);
      stale_[level] &= ~bit_of(id);
      if (occupied_[level] == 0) levels_ &= ~(1U << level);
      if (id == id_of(level, cursor_)) own_ &= ~(1U << level);
    } else if (level > 0 && due == slot.min) {
      stale_[level] |= bit_of(id);
    }
  }

  /// The slot with the lowest bound; among equal bounds the highest level, so that what has to
  /// move down does so before its tick expires. Nothing when all slots are empty.
  std::optional<Earliest> earliest() const {
    std::optional<Earliest> best;
    for (unsigned rest = levels_; rest != 0; rest &= rest - 1) {
      const int level = std::countr_zero(rest);
      const auto id = static_cast<SlotId>(level * kSlots + std::countr_zero(occupied_[level]));
      if (!best || slots_[id].min <= best->min) best = Earliest{id, slots_[id].min};
    }
    return best;
  }

  /// Moves the cursor on to `cursor`, which must not pass any bound.
  void move_cursor(Tick cursor) {
    ESCAPEMENT_TIMERS_CHECK(cursor >= cursor_);
    cursor_ = cursor;
    own_ = 0;
    for (unsigned rest = levels_ & ~1U; rest != 0; rest &= rest - 1) {
      const int level = std::countr_zero(rest);
      if (occupied_[level] & bit_of(id_of(level, cursor))) own_ |= 1U << level;
    }
  }

  /// The lowest of the cursor's own slots above level 0 that still holds timers.
  std::optional<SlotId> lowest_own() const {
    if (own_ == 0) return std::nullopt;
    return id_of(std::countr_zero(own_), cursor_);
  }

  bool stale(SlotId id) const { return (stale_[level_of(id)] & bit_of(id)) != 0; }

  /// Replaces a stale bound by the exact one.
  void set_exact(SlotId id, Tick min) {
    slots_[id].min = min;
    stale_[level_of(id)] &= ~bit_of(id);
  }

  /// True when a timer due at `due` may be in slot `id` under the present cursor.
  bool may_hold(SlotId id, Tick due) const {
    const int level = level_of(id);
    return due >= cursor_ && digit_that_differs(due ^ cursor_) <= level && id == id_of(level, due);
  }

  /// Aborts unless the bitmaps tell which slots have a list. O(slots).
  void check_invariants() const {
    unsigned levels = 0;
    unsigned own = 0;
    for (SlotId id = 0; id < slots_.size(); ++id) {
      const int level = level_of(id);
      const bool occupied = slots_[id].head != kNil;
      ESCAPEMENT_TIMERS_CHECK(occupied == (slots_[id].tail != kNil));
      ESCAPEMENT_TIMERS_CHECK(occupied == ((occupied_[level] & bit_of(id)) != 0));
      ESCAPEMENT_TIMERS_CHECK(occupied || !stale(id));
      ESCAPEMENT_TIMERS_CHECK(!occupied || slots_[id].min >= cursor_);
      if (occupied) levels |= 1U << level;
      if (occupied && level > 0 && id == id_of(level, cursor_)) own |= 1U << level;
    }
    ESCAPEMENT_TIMERS_CHECK(levels == levels_);
    ESCAPEMENT_TIMERS_CHECK(own == own_);
  }

 private:
  static constexpr int digit_that_differs(Tick difference) {
    return (std::bit_width(difference | 1) - 1) / kDigitBits;
  }
  static constexpr SlotId id_of(int level, Tick due) {
    const Tick digit = (due >> (level * kDigitBits)) & (kSlots - 1);
    return static_cast<SlotId>(static_cast<unsigned>(level * kSlots) + digit);
  }
  static constexpr std::uint64_t bit_of(SlotId id) {
    return std::uint64_t{1} << (id & (kSlots - 1));
  }

  Tick cursor_;
  unsigned levels_ = 0;  // bit k: level k has an occupied slot
  unsigned own_ = 0;     // bit k: the cursor's own slot of level k >= 1 is occupied
  std::array<std::uint64_t, kLevels> occupied_{};
  std::array<std::uint64_t, kLevels> stale_{};
  std::array<Slot, kLevels * kSlots> slots_{};
};

}  // namespace escapement::timers
