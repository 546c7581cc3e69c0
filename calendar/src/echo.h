// echo: a user's text, quoted for an error message.
//
// Anything but printable ASCII becomes '?', so a message is one line and cannot steer a terminal;
// long texts are cut. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace escapement::calendar {

inline constexpr std::size_t kMaxEchoBytes = 40;

inline std::string echo(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text.substr(0, kMaxEchoBytes)) quoted += c < ' ' || c > '~' ? '?' : c;
  if (text.size() > kMaxEchoBytes) quoted += "...";
  return quoted + '"';
}

}  // namespace escapement::calendar
