// Trace: every event and action of a world, hashed, and printed when somebody reads along.
//
// The hash is FNV-1a over true time, the word, the numbers and the text of every line: two runs of
// a seed are the same history if and only if (but for 2^-64) the hashes agree. One thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <ostream>
#include <string_view>

#include "escapement/base/time.h"

namespace escapement::simulation {

class Trace {
 public:
  explicit Trace(std::ostream* out) : out_(out) {}

  void line(Duration at, std::string_view word, std::initializer_list<std::int64_t> numbers = {},
            std::string_view text = {}) {
    add_number(at.count());
    add_text(word);
    for (const std::int64_t number : numbers) add_number(number);
    add_text(text);
    if (out_ != nullptr) print(at, word, numbers, text);
  }

  std::uint64_t hash() const { return hash_; }

 private:
  void add_byte(std::uint8_t byte) { hash_ = (hash_ ^ byte) * 0x100000001b3U; }
  void add_number(std::int64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      add_byte(static_cast<std::uint8_t>(static_cast<std::uint64_t>(number) >> shift));
    }
  }
  void add_text(std::string_view text) {
    for (const char c : text) add_byte(static_cast<std::uint8_t>(c));
    add_byte(0xff);
  }
  void print(Duration at, std::string_view word, std::initializer_list<std::int64_t> numbers,
             std::string_view text) {
    *out_ << static_cast<double>(at.count()) / 1e6 << "s " << word;
    for (const std::int64_t number : numbers) *out_ << ' ' << number;
    if (!text.empty()) *out_ << ' ' << text;
    *out_ << '\n';
  }

  std::ostream* out_;
  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace escapement::simulation
