// A crontab, read as cron(8) reads it: text in, entries and problems out.
//
// The idea: a line is a variable, an entry, a comment or nothing, and every line stands alone, so
// one that cannot be taken is reported with its number and the rest is read. Variables hold for the
// lines below them; quotes around them are removed and nothing is expanded. In a command the first
// bare `%` begins the text of standard input, where each further `%` is a newline; `\%` is a
// percent sign. Comments directly above an entry become its description.
//
// Pure functions, linear in the text; any thread.
//
//   Result<Crontab> read = parse_crontab("0 2 * * * backup\n", {.system = false});
//   read->entries[0].schedule == "0 2 * * *", read->entries[0].command == "backup"
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "escapement/base/result.h"

namespace escapement::apps {

inline constexpr std::size_t kMaxCrontabBytes = 1 << 20;
inline constexpr std::size_t kMaxCrontabLines = 10'000;
inline constexpr std::size_t kMaxCrontabLineBytes = 16 * 1024;
inline constexpr std::size_t kMaxCrontabVariables = 200;
inline constexpr std::size_t kMaxCrontabVariableBytes = 32 * 1024;  // of all that hold at once

using Variables = std::map<std::string, std::string>;

struct CrontabOptions {
  bool system = false;  // the format of /etc/crontab and /etc/cron.d: a user before the command
};

struct CrontabEntry {
  std::size_t line = 0;  // from 1
  std::string schedule;  // "0 2 * * *", "@daily" or "@every 90s", not checked
  std::string zone;      // CRON_TZ; empty where none was stated
  std::string user;      // only in the system format
  std::string command;   // what the shell gets
  std::string stdin_text;
  std::string shell = "/bin/sh";
  std::string description;
  // What was set above the entry, without what the scheduler itself understands.
  std::shared_ptr<const Variables> variables;
};

struct CrontabRemark {
  std::size_t line = 0;
  std::string text;
};

struct Crontab {
  std::vector<CrontabEntry> entries;
  std::vector<CrontabRemark> problems;  // lines that were not taken, and why
  std::vector<CrontabRemark> notes;     // lines that were understood and have no effect here
};

// Errors: `invalid` when the whole text is beyond a limit.
Result<Crontab> parse_crontab(std::string_view text, CrontabOptions options);

}  // namespace escapement::apps
