#include "command_name.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace escapement::apps {
namespace {

using Words = std::vector<std::string>;

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& list) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

constexpr std::array<std::string_view, 10> kKeywords{"if",    "then", "elif", "else", "while",
                                                     "until", "do",   "!",    "{",    "("};
constexpr std::array<std::string_view, 12> kWrappers{"nice", "ionice", "nohup",   "exec",
                                                     "sudo", "time",   "env",     "chronic",
                                                     "su",   "flock",  "timeout", "setsid"};
constexpr std::array<std::string_view, 20> kGuards{
    "test", "[",     "[[", "cd",   "command", "sleep", "export", "set", "source", ".",
    "true", "false", "fi", "done", "umask",   "esac",  "}",      ")",   ":",      "which"};
// Named after their first argument: a script, or what echo says.
constexpr std::array<std::string_view, 12> kInterpreters{
    "sh",  "bash", "dash", "python", "python3",   "perl",
    "php", "ruby", "node", "zsh",    "run-parts", "echo"};

std::string_view base_of(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

bool is_assignment(std::string_view word) {
  std::size_t equals = word.find('=');
  return equals != std::string_view::npos && equals > 0 &&
         std::all_of(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(equals),
                     [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

bool is_number(std::string_view word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front()));
}

// Splits a command line where the shell would begin another command.
class Splitter {
 public:
  std::vector<Words> split(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) add(text, i);
    end_command();
    return std::move(commands_);
  }

 private:
  void add(std::string_view text, std::size_t& i) {
    char c = text[i];
    if (quote_ != 0) {
      if (c == quote_) quote_ = 0;
      word_ += c;
    } else if (c == '"' || c == '\'') {
      quote_ = c;
      word_ += c;
    } else if (c == '\\' && i + 1 < text.size()) {
      word_ += text[++i];
    } else if (c == ' ' || c == '\t') {
      end_word();
    } else if (c == '&' && (word_.ends_with('>') || text.substr(i + 1).starts_with('>'))) {
      word_ += c;
    } else if (c == ';' || c == '&' || c == '|' || c == '\n') {
      end_command();
    } else {
      word_ += c;
    }
  }
  void end_word() {
    if (!word_.empty()) words_.push_back(std::move(word_));
    word_.clear();
  }
  void end_command() {
    end_word();
    if (!words_.empty()) commands_.push_back(std::move(words_));
    words_.clear();
  }

  char quote_ = 0;
  std::string word_;
  Words words_;
  std::vector<Words> commands_;
};

// The first word that may be a program; steps over keywords, assignments and wrappers.
std::size_t program_of(const Words& words) {
  bool wrapped = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (is_one_of(word, kKeywords) || is_assignment(word)) continue;
    if (is_one_of(base_of(word), kWrappers)) {
      wrapped = true;
      continue;
    }
    if (wrapped && (word.front() == '-' || is_number(word))) continue;
    return i;
  }
  return words.size();
}

// "" when this command only tests or prepares something.
std::string name_of(const Words& words) {
  std::size_t program = program_of(words);
  if (program == words.size()) return {};
  std::string_view name = base_of(words[program]);
  if (is_one_of(name, kGuards)) return {};
  if (!is_one_of(name, kInterpreters)) return slug(name);
  for (std::size_t i = program + 1; i < words.size(); ++i) {
    if (words[i] == "-c" || words[i] == "-e") return {};
    if (words[i].front() == '-' || words[i].find_first_of("<>") != std::string::npos) continue;
    return slug(base_of(words[i]));
  }
  return {};
}

}  // namespace

std::string slug(std::string_view text) {
  std::string result;
  for (char c : text.substr(0, kMaxCommandNameBytes)) {
    unsigned char byte = static_cast<unsigned char>(c);
    bool plain = byte < 0x80 && (std::isalnum(byte) || c == '_' || c == '.');
    if (plain) {
      result += static_cast<char>(std::tolower(byte));
    } else if (!result.empty() && result.back() != '-') {
      result += '-';
    }
  }
  while (result.ends_with('-') || result.ends_with('.')) result.pop_back();
  std::size_t start = result.find_first_not_of(".-");
  return start == std::string::npos ? std::string() : result.substr(start);
}

std::string command_name(std::string_view command) {
  for (const Words& words : Splitter().split(command)) {
    if (std::string name = name_of(words); !name.empty()) return name;
  }
  return "command";
}

std::string UniqueNames::take(const std::string& name) {
  std::string candidate = name;
  std::size_t number = ++taken_[name];
  while (number > 1) {
    candidate = name + '-' + std::to_string(number);
    if (taken_.emplace(candidate, 1).second) break;
    number = ++taken_[name];
  }
  return candidate;
}

}  // namespace escapement::apps
