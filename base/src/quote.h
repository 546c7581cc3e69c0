// How error messages show what somebody sent: in quotes, and cut short, so that a megabyte of bad
// input never becomes a megabyte of error. Any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace escapement {

inline constexpr std::size_t kMaxQuotedBytes = 64;

// The text, or its first kMaxQuotedBytes and "...".
inline std::string clipped(std::string_view text) {
  if (text.size() <= kMaxQuotedBytes) return std::string(text);
  return std::string(text.substr(0, kMaxQuotedBytes)) + "...";
}

inline std::string in_quotes(std::string_view text) { return "\"" + clipped(text) + "\""; }

}  // namespace escapement
