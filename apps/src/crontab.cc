#include "crontab.h"

#include <optional>
#include <utility>

#include "crontab_line.h"
#include "escapement/domain/limits.h"

namespace escapement::apps {
namespace {

// Variables that cron acts upon and that have no effect here.
std::string_view why_ignored(std::string_view name) {
  if (name == "MAILTO" || name == "MAILFROM") return "no mail is sent: output is kept with the run";
  if (name == "CONTENT_TYPE" || name == "CONTENT_TRANSFER_ENCODING") return "no mail is sent";
  if (name == "RANDOM_DELAY") return "jobs start on time, without a random delay";
  if (name == "LOGNAME" || name == "USER") return "cron does not let a crontab change it";
  return {};
}

// The column header that crontabs are shipped with, "m h dom mon dow command".
bool is_column_header(std::string_view comment) {
  return comment.find("dom mon dow") != std::string_view::npos || comment.starts_with("m h ");
}

bool is_schedule_field(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789*/,-") == std::string_view::npos;
}

// The drawing that explains the columns in Debian's /etc/crontab, or an entry taken out of use:
// what was said above it is not about the entry below.
bool ends_description(std::string_view comment) {
  if (comment.starts_with('.') || comment.starts_with('|')) return true;
  std::string first = take_word(comment);
  return is_schedule_field(first) && is_schedule_field(take_word(comment));
}

class CrontabReader {
 public:
  explicit CrontabReader(CrontabOptions options) : options_(options) {}

  void read(std::size_t number, std::string_view line) {
    number_ = number;
    line = trim_front(line);
    if (line.empty()) return comments_.clear();
    if (line.front() == '#') return take_comment(line.substr(1));
    if (line.size() > kMaxCrontabLineBytes) {
      problem("the line is longer than " + std::to_string(kMaxCrontabLineBytes) + " bytes");
    } else if (line.find('\0') != std::string_view::npos) {
      problem("the line contains a NUL byte");
    } else if (auto variable = parse_variable(line)) {
      take_variable(std::move(*variable));
    } else {
      take_entry(line);
    }
    comments_.clear();
  }

  Crontab finish() && { return std::move(result_); }

 private:
  void problem(std::string text) { result_.problems.push_back({number_, std::move(text)}); }
  void note(std::string text) { result_.notes.push_back({number_, std::move(text)}); }

  void take_comment(std::string_view comment) {
    while (!comment.empty() && comment.front() == '#') comment.remove_prefix(1);
    comment = trim_back(trim_front(comment));
    if (ends_description(comment)) return comments_.clear();
    if (comment.empty() || is_column_header(comment)) return;
    if (comments_.size() + comment.size() + 1 > domain::kMaxDescriptionBytes) return;
    if (!comments_.empty()) comments_ += ' ';
    comments_ += comment;
  }

  void take_variable(CrontabVariable variable) {
    if (variable.name == "CRON_TZ") {
      zone_ = std::move(variable.value);
    } else if (auto why = why_ignored(variable.name); !why.empty()) {
      note(variable.name + " is ignored: " + std::string(why));
    } else if (!fits(variable)) {
      problem("too many variables (at most " + std::to_string(kMaxCrontabVariables) + ", " +
              std::to_string(kMaxCrontabVariableBytes) + " bytes)");
    } else {
      set(std::move(variable));
    }
  }

  bool fits(const CrontabVariable& variable) const {
    return variables_->size() < kMaxCrontabVariables &&
           variable_bytes_ + variable.name.size() + variable.value.size() <=
               kMaxCrontabVariableBytes;
  }

  // Entries above keep the variables they saw: a change makes a new map.
  void set(CrontabVariable variable) {
    auto changed = std::make_shared<Variables>(*variables_);
    (*changed)[variable.name] = std::move(variable.value);
    variable_bytes_ = 0;
    for (const auto& [name, value] : *changed) variable_bytes_ += name.size() + value.size();
    variables_ = std::move(changed);
  }

  void take_entry(std::string_view line) {
    CrontabEntry entry{.line = number_, .zone = zone_, .description = comments_};
    if (auto reason = parse_schedule(line, entry.schedule)) return problem(std::move(*reason));
    if (options_.system) {
      entry.user = take_word(line);
      if (entry.user.empty()) return problem("there is no user before the command");
    }
    if (line.empty()) {
      return problem(options_.system ? "there is no command (the sixth field is read as the user)"
                                     : "there is no command");
    }
    CrontabCommand command = parse_command(line);
    if (trim_front(command.command).empty()) return problem("the command is empty");
    entry.command = std::move(command.command);
    entry.stdin_text = std::move(command.stdin_text);
    entry.variables = variables_;
    auto shell = variables_->find("SHELL");
    if (shell != variables_->end() && !shell->second.empty()) entry.shell = shell->second;
    result_.entries.push_back(std::move(entry));
  }

  CrontabOptions options_;
  std::size_t number_ = 0;
  std::string zone_;
  std::string comments_;
  std::shared_ptr<const Variables> variables_ = std::make_shared<Variables>();
  std::size_t variable_bytes_ = 0;
  Crontab result_;
};

}  // namespace

Result<Crontab> parse_crontab(std::string_view text, CrontabOptions options) {
  if (text.size() > kMaxCrontabBytes) {
    return invalid("crontab", "the file has " + std::to_string(text.size()) + " bytes, at most " +
                                  std::to_string(kMaxCrontabBytes) + " are allowed");
  }
  CrontabReader reader(options);
  for (std::size_t number = 1; !text.empty(); ++number) {
    if (number > kMaxCrontabLines) {
      return invalid("crontab",
                     "the file has more than " + std::to_string(kMaxCrontabLines) + " lines");
    }
    std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    reader.read(number, line);
  }
  return std::move(reader).finish();
}

}  // namespace escapement::apps
