// RecordPool: records that never move, named by 32-bit indices, in chunks that come and go.
//
// The idea: growth adds a chunk of 256 records and copies none, so that no single call pays for a
// million; a chunk goes back to the allocator when its last record does (one empty chunk is kept
// so that a lone timer does not allocate each time). Generations are counted per chunk, in the
// small chunk table that stays, so a handle from before a chunk was given back is still refused.
//
// Cost: acquire and release O(1); the table keeps 32 bytes for each 256 records of the highest
// count ever. A Record has two fields for the pool: `std::uint32_t next` (free to use while the
// record is acquired) and `std::uint32_t generation` (0 = free). One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "escapement/timers/check.h"
#include "escapement/timers/handle.h"

namespace escapement::timers {

/// The index that names no record.
inline constexpr std::uint32_t kNil = UINT32_MAX;

template <typename Record>
class RecordPool {
 public:
  static constexpr std::uint32_t kChunkBits = 8;
  static constexpr std::uint32_t kChunkRecords = 1U << kChunkBits;
  /// Limit on records in use at one time; acquiring more fails a CHECK.
  static constexpr std::size_t kMaxRecords = std::size_t{kNil} & ~std::size_t{kChunkRecords - 1};

  /// Takes a free record, stamps a fresh generation on it and returns its index.
  std::uint32_t acquire() {
    if (open_ == kNil) open_chunk();
    const std::uint32_t chunk_index = open_;
    Chunk& chunk = chunks_[chunk_index];
    const std::uint32_t index = pop_free(chunk, chunk_index);
    if (++chunk.live == kChunkRecords) unlist(chunk_index);
    if (spare_ == chunk_index) spare_ = kNil;
    if (++chunk.generation == 0) chunk.generation = 1;
    (*this)[index].generation = chunk.generation;
    ++size_;
    return index;
  }

  /// Gives an acquired record back: every handle to it is dead from now on.
  void release(std::uint32_t index) {
    const std::uint32_t chunk_index = index >> kChunkBits;
    Chunk& chunk = chunks_[chunk_index];
    Record& record = (*this)[index];
    ESCAPEMENT_TIMERS_CHECK(record.generation != 0);
    record.generation = 0;
    record.next = chunk.free;
    chunk.free = index;
    --size_;
    if (chunk.live-- == kChunkRecords) list(chunk_index);
    if (chunk.live == 0) retire(chunk_index);
  }

  Record& operator[](std::uint32_t index) {
    return chunks_[index >> kChunkBits].records[index & (kChunkRecords - 1)];
  }
  const Record& operator[](std::uint32_t index) const {
    return chunks_[index >> kChunkBits].records[index & (kChunkRecords - 1)];
  }

  /// The record the handle names, or null when the handle is null, foreign or dead.
  const Record* find(Handle handle) const {
    const std::size_t chunk = handle.index >> kChunkBits;
    if (handle.is_null() || chunk >= chunks_.size() || !chunks_[chunk].records) return nullptr;
    const Record& record = (*this)[handle.index];
    return record.generation == handle.generation ? &record : nullptr;
  }

  Handle handle_of(std::uint32_t index) const { return {index, (*this)[index].generation}; }

  std::size_t size() const { return size_; }

  /// Bytes on the heap: chunks in use and the chunk table.
  std::size_t memory_bytes() const {
    return chunks_.capacity() * sizeof(Chunk) +
           (chunks_.size() - vacant_count_) * kChunkRecords * sizeof(Record);
  }

  /// Calls visit(record) for each acquired record, in no stated order.
  template <typename Visit>
  void for_each(Visit visit) {
    for (Chunk& chunk : chunks_) {
      for (std::uint32_t i = 0; chunk.records && i < chunk.fresh; ++i) {
        if (chunk.records[i].generation != 0) visit(chunk.records[i]);
      }
    }
  }

  /// Aborts unless counts, generations, free lists and chunk lists agree. O(records).
  void check_invariants() const {
    std::size_t live = 0;
    std::size_t listed = 0;
    std::size_t vacant = 0;
    for (std::uint32_t i = 0; i < chunks_.size(); ++i) {
      check_chunk(chunks_[i], i);
      live += chunks_[i].live;
      if (!chunks_[i].records) ++vacant;
      if (chunks_[i].records && chunks_[i].live < kChunkRecords) ++listed;
    }
    ESCAPEMENT_TIMERS_CHECK(live == size_);
    ESCAPEMENT_TIMERS_CHECK(vacant == vacant_count_);
    ESCAPEMENT_TIMERS_CHECK(listed == list_length(open_));
    ESCAPEMENT_TIMERS_CHECK(vacant == list_length(vacant_));
  }

 private:
  // `fresh` records from the front were used at least once; the free list holds the unused of
  // those. `before` and `after` chain the chunks with room, or (`after` only) the vacant ones.
  struct Chunk {
    std::unique_ptr<Record[]> records;
    std::uint32_t generation = 0;
    std::uint32_t live = 0;
    std::uint32_t free = kNil;
    std::uint32_t fresh = 0;
    std::uint32_t before = kNil;
    std::uint32_t after = kNil;
  };

  std::uint32_t pop_free(Chunk& chunk, std::uint32_t chunk_index) {
    if (chunk.free == kNil) return (chunk_index << kChunkBits) + chunk.fresh++;
    const std::uint32_t index = chunk.free;
    chunk.free = (*this)[index].next;
    return index;
  }

  void open_chunk() {
    const bool reuse = vacant_ != kNil;
    ESCAPEMENT_TIMERS_CHECK(reuse || chunks_.size() < (kMaxRecords >> kChunkBits));
    auto records = std::make_unique<Record[]>(kChunkRecords);
    if (!reuse) chunks_.emplace_back();
    const std::uint32_t index = reuse ? vacant_ : static_cast<std::uint32_t>(chunks_.size() - 1);
    if (reuse) {
      vacant_ = chunks_[index].after;
      --vacant_count_;
    }
    chunks_[index].records = std::move(records);
    list(index);
  }

  void retire(std::uint32_t index) {
    if (spare_ == kNil) {
      spare_ = index;
      return;
    }
    unlist(index);
    Chunk& chunk = chunks_[index];
    chunk.records.reset();
    chunk.free = kNil;
    chunk.fresh = 0;
    chunk.after = vacant_;
    vacant_ = index;
    ++vacant_count_;
  }

  void list(std::uint32_t index) {
    chunks_[index].before = kNil;
    chunks_[index].after = open_;
    if (open_ != kNil) chunks_[open_].before = index;
    open_ = index;
  }

  void unlist(std::uint32_t index) {
    const Chunk& chunk = chunks_[index];
    if (chunk.after != kNil) chunks_[chunk.after].before = chunk.before;
    (chunk.before == kNil ? open_ : chunks_[chunk.before].after) = chunk.after;
  }

  std::size_t list_length(std::uint32_t head) const {
    std::size_t length = 0;
    for (std::uint32_t i = head; i != kNil; i = chunks_[i].after) ++length;
    return length;
  }

  void check_chunk(const Chunk& chunk, std::uint32_t chunk_index) const {
    std::uint32_t live = 0;
    for (std::uint32_t i = 0; chunk.records && i < chunk.fresh; ++i) {
      if (chunk.records[i].generation != 0) ++live;
    }
    std::uint32_t free = 0;
    for (std::uint32_t i = chunk.free; i != kNil; i = (*this)[i].next, ++free) {
      ESCAPEMENT_TIMERS_CHECK(i >> kChunkBits == chunk_index && (*this)[i].generation == 0);
    }
    ESCAPEMENT_TIMERS_CHECK(live == chunk.live && live + free == chunk.fresh);
    ESCAPEMENT_TIMERS_CHECK(live > 0 || !chunk.records || spare_ == chunk_index);
  }

  std::vector<Chunk> chunks_;
  std::size_t size_ = 0;
  std::size_t vacant_count_ = 0;
  std::uint32_t open_ = kNil;    // chunks with room, last opened first
  std::uint32_t vacant_ = kNil;  // chunks without memory
  std::uint32_t spare_ = kNil;   // the one empty chunk that is kept
};

}  // namespace escapement::timers
