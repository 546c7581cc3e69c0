// A readable name for a shell command: the program that does the work.
//
// `[ -x /usr/lib/php/sessionclean ] && /usr/lib/php/sessionclean` is "sessionclean", not "[":
// tests, wrappers (nice, sudo, flock …), assignments and redirections are stepped over, and an
// interpreter is named after its script. It is a guess for people, never evaluated. Linear in the
// command; pure; any thread.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace escapement::apps {

inline constexpr std::size_t kMaxCommandNameBytes = 40;

// Small letters, digits, '.', '_' and '-'; "command" where nothing can be guessed.
std::string command_name(std::string_view command);

// The same for any text, for example a file's name as a prefix; may answer "".
std::string slug(std::string_view text);

// Names that are used once: `take("a")` is "a", then "a-2", then "a-3".
class UniqueNames {
 public:
  std::string take(const std::string& name);

 private:
  std::map<std::string, std::size_t> taken_;  // name -> how often it was asked for
};

}  // namespace escapement::apps
