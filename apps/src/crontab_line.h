// The parts of one crontab line: variable, schedule, command.
//
// They follow cron(8): a variable is NAME = VALUE with optional blanks and quotes; a schedule is
// five fields or one @macro; a command ends at the first bare `%`. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace escapement::apps {

struct CrontabVariable {
  std::string name;
  std::string value;
};

struct CrontabCommand {
  std::string command;
  std::string stdin_text;  // ends with a newline unless it is empty
};

std::string_view trim_front(std::string_view text);
std::string_view trim_back(std::string_view text);

// Removes the next word and the blanks around it from `line`.
std::string take_word(std::string_view& line);

// nullopt when the line is no assignment; then it may be an entry.
std::optional<CrontabVariable> parse_variable(std::string_view line);

// Removes the schedule from `line` into `schedule`. Answers the reason when there is none.
std::optional<std::string> parse_schedule(std::string_view& line, std::string& schedule);

CrontabCommand parse_command(std::string_view text);

}  // namespace escapement::apps
