// Keeps the beginning of an output, up to kMaxOutputBytes, and counts the rest.
//
// When something was dropped the text ends in a note and, with it, still is within the limit.
// Costs at most kMaxOutputBytes. One thread at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "escapement/domain/limits.h"

namespace escapement::targets {

inline constexpr std::string_view kTruncatedNote = "\n[output truncated]";

class OutputBuffer {
 public:
  void append(std::string_view bytes) {
    total_ += bytes.size();
    text_ += bytes.substr(0, domain::kMaxOutputBytes - text_.size());
  }

  // Bytes seen, kept or not.
  std::size_t total() const { return total_; }

  std::string take() {
    if (total_ > domain::kMaxOutputBytes) {
      text_.resize(domain::kMaxOutputBytes - kTruncatedNote.size());
      text_ += kTruncatedNote;
    }
    return std::move(text_);
  }

 private:
  std::string text_;
  std::size_t total_ = 0;
};

}  // namespace escapement::targets
