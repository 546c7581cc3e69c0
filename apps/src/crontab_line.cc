#include "crontab_line.h"

#include <cctype>

namespace escapement::apps {
namespace {

constexpr int kUnixFields = 5;

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_quote(char c) { return c == '"' || c == '\''; }

bool is_name_char(char c, bool first) {
  unsigned char byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) || c == '_' || (!first && std::isdigit(byte));
}

bool is_name(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!is_name_char(text[i], i == 0)) return false;
  }
  return !text.empty();
}

// The text between quotes, removed from the line with them; nullopt when they do not close.
std::optional<std::string_view> take_quoted(std::string_view& line) {
  std::size_t end = line.find(line.front(), 1);
  if (end == std::string_view::npos) return std::nullopt;
  std::string_view inside = line.substr(1, end - 1);
  line.remove_prefix(end + 1);
  return inside;
}

std::optional<std::string_view> take_name(std::string_view& line) {
  if (is_quote(line.front())) return take_quoted(line);
  std::size_t end = 0;
  while (end < line.size() && is_name_char(line[end], end == 0)) ++end;
  std::string_view name = line.substr(0, end);
  line.remove_prefix(end);
  return name;
}

// Standard input after the first bare '%'; the loop is the one of cron(8): a backslash is kept
// unless it stands before a percent sign.
std::string parse_stdin(std::string_view text) {
  std::string result;
  bool escaped = false;
  for (char c : text) {
    if (escaped && c != '%') result += '\\';
    if (!escaped && c == '%') c = '\n';
    escaped = c == '\\';
    if (!escaped) result += c;
  }
  if (escaped) result += '\\';
  if (!result.empty() && result.back() != '\n') result += '\n';
  return result;
}

}  // namespace

std::string_view trim_front(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

std::string_view trim_back(std::string_view text) {
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string take_word(std::string_view& line) {
  line = trim_front(line);
  std::size_t end = 0;
  while (end < line.size() && !is_blank(line[end])) ++end;
  std::string word(line.substr(0, end));
  line = trim_front(line.substr(end));
  return word;
}

std::optional<CrontabVariable> parse_variable(std::string_view line) {
  line = trim_front(line);
  if (line.empty()) return std::nullopt;
  auto name = take_name(line);
  if (!name || !is_name(*name)) return std::nullopt;
  line = trim_front(line);
  if (line.empty() || line.front() != '=') return std::nullopt;
  line = trim_back(trim_front(line.substr(1)));
  if (line.empty() || !is_quote(line.front())) {
    return CrontabVariable{std::string(*name), std::string(line)};
  }
  auto value = take_quoted(line);
  if (!value || !line.empty()) return std::nullopt;
  return CrontabVariable{std::string(*name), std::string(*value)};
}

std::optional<std::string> parse_schedule(std::string_view& line, std::string& schedule) {
  schedule = take_word(line);
  if (schedule == "@reboot") {
    return "@reboot has no place in a scheduler that outlives the machine's start; start it as a "
           "service";
  }
  if (schedule.starts_with('@')) {
    if (schedule == "@every") schedule += ' ' + take_word(line);
    return std::nullopt;
  }
  for (int field = 1; field < kUnixFields; ++field) {
    std::string word = take_word(line);
    if (word.empty()) {
      return "expected NAME=VALUE, or five fields (minute hour day-of-month month day-of-week) and "
             "a command";
    }
    schedule += ' ' + word;
  }
  return std::nullopt;
}

CrontabCommand parse_command(std::string_view text) {
  CrontabCommand result;
  bool escaped = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%' && !escaped) {
      result.stdin_text = parse_stdin(text.substr(i + 1));
      break;
    }
    if (c == '%') result.command.pop_back();
    result.command += c;
    escaped = c == '\\' && !escaped;
  }
  return result;
}

}  // namespace escapement::apps
