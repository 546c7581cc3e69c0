#include "exec_program.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>
#include <vector>

namespace escapement::targets {
namespace {

constexpr const char* kDefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr std::size_t kUserRecordBytes = 64 * 1024;

using Environment = std::map<std::string, std::string>;

struct User {
  std::string name;
  std::string home = "/";
  uid_t uid = 0;
  gid_t gid = 0;
};

template <typename Find>
std::optional<User> find_user(Find find) {
  passwd record{};
  passwd* found = nullptr;
  std::vector<char> space(kUserRecordBytes);
  if (find(&record, space.data(), space.size(), &found) != 0 || found == nullptr) {
    return std::nullopt;
  }
  return User{record.pw_name, record.pw_dir, record.pw_uid, record.pw_gid};
}

User own_user() {
  const uid_t self = geteuid();
  const auto found = find_user([self](passwd* record, char* space, std::size_t size, passwd** out) {
    return getpwuid_r(self, record, space, size, out);
  });
  return found.value_or(User{.name = std::to_string(self), .uid = self, .gid = getegid()});
}

Result<User> resolve_user(const std::string& name) {
  User self = own_user();
  if (name.empty() || name == self.name) return self;
  if (geteuid() != 0) {
    return Error{ErrorCode::denied, "user \"" + name + "\" needs a server that runs as root",
                 "target.user"};
  }
  auto found = find_user([&name](passwd* record, char* space, std::size_t size, passwd** out) {
    return getpwnam_r(name.c_str(), record, space, size, out);
  });
  if (!found) return invalid("target.user", "user \"" + name + "\" does not exist");
  return *found;
}

Status check_text(const std::string& field, const std::string& text) {
  if (text.find('\0') == std::string::npos) return {};
  return invalid(field, "must not contain a NUL byte");
}

Status check_environment(const Environment& environment) {
  if (environment.size() > domain::kMaxEnvironment) {
    return invalid("target.environment",
                   "has more than " + std::to_string(domain::kMaxEnvironment) + " entries");
  }
  for (const auto& [name, value] : environment) {
    if (name.empty() || name.find('=') != std::string::npos) {
      return invalid("target.environment", "name \"" + name + "\" is empty or contains '='");
    }
    if (Status status = check_text("target.environment", name + value); !status.ok()) {
      return status;
    }
  }
  return {};
}

Status check_target(const domain::ExecTarget& target) {
  if (target.argv.empty() || target.argv.front().empty()) {
    return invalid("target.argv", "must name a program");
  }
  std::size_t bytes = 0;
  for (const std::string& argument : target.argv) {
    bytes += argument.size() + 1;
    if (Status status = check_text("target.argv", argument); !status.ok()) return status;
  }
  if (target.argv.size() > domain::kMaxArgv || bytes > domain::kMaxArgvBytes) {
    return invalid("target.argv", "must have at most " + std::to_string(domain::kMaxArgv) +
                                      " arguments and " + std::to_string(domain::kMaxArgvBytes) +
                                      " bytes");
  }
  if (Status status = check_text("target.working_directory", target.working_directory);
      !status.ok()) {
    return status;
  }
  return check_environment(target.environment);
}

// The server's other variables may hold secrets and stay with it.
Environment environment_of(const engine::Dispatch& dispatch, const domain::ExecTarget& target,
                           const User& user) {
  const char* lang = std::getenv("LANG");
  Environment environment{{"PATH", kDefaultPath}, {"HOME", user.home},
                          {"SHELL", "/bin/sh"},   {"LOGNAME", user.name},
                          {"USER", user.name},    {"LANG", lang != nullptr ? lang : "C.UTF-8"}};
  for (const auto& [name, value] : target.environment) environment[name] = value;
  environment["ESCAPEMENT_JOB"] = dispatch.name;
  environment["ESCAPEMENT_RUN"] = dispatch.run_id;
  environment["ESCAPEMENT_DUE"] = format_instant(dispatch.due, true);
  environment["ESCAPEMENT_ATTEMPT"] = std::to_string(dispatch.key.number);
  environment["ESCAPEMENT_TERM"] = std::to_string(dispatch.term);
  return environment;
}

// A name without '/' is looked for in the command's own PATH, as execvp would.
std::vector<std::string> candidates_of(const std::string& program, const std::string& path) {
  if (program.find('/') != std::string::npos) return {program};
  std::vector<std::string> candidates;
  for (std::size_t begin = 0; begin <= path.size() && candidates.size() < kMaxCandidates;) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    candidates.push_back((folder.empty() ? "." : folder) + "/" + program);
    begin = end + 1;
  }
  return candidates;
}

Status fill_user(ProgramHeader& header, const std::string& name, const User& user) {
  if (name.empty() || user.uid == geteuid()) return {};
  int count = kMaxGroups;
  gid_t groups[kMaxGroups] = {};
  if (getgrouplist(user.name.c_str(), user.gid, groups, &count) < 0) {
    return invalid("target.user", "user \"" + name + "\" is in more than " +
                                      std::to_string(kMaxGroups) + " groups");
  }
  header.has_user = 1;
  header.uid = user.uid;
  header.gid = user.gid;
  header.group_count = static_cast<std::uint32_t>(count);
  std::copy_n(groups, count, header.groups);
  return {};
}

std::string directory_of(const domain::ExecTarget& target, const User& user,
                         const std::string& data_folder) {
  if (!target.working_directory.empty()) return target.working_directory;
  return target.user.empty() ? data_folder : user.home;
}

void put(std::string& out, const std::string& text) { out.append(text.c_str(), text.size() + 1); }

std::string signal_text(int number) {
  const char* name = sigabbrev_np(number);
  return "killed by signal " + std::to_string(number) +
         (name != nullptr ? " (SIG" + std::string(name) + ")" : "");
}

}  // namespace

Result<std::string> encode_program(const engine::Dispatch& dispatch,
                                   const std::string& data_folder) {
  const auto& target = std::get<domain::ExecTarget>(*dispatch.target);
  if (Status status = check_target(target); !status.ok()) return status.error();
  Result<User> user = resolve_user(target.user);
  if (!user.ok()) return user.error();
  ProgramHeader header;
  if (Status status = fill_user(header, target.user, *user); !status.ok()) return status.error();
  const Environment environment = environment_of(dispatch, target, *user);
  const auto candidates = candidates_of(target.argv.front(), environment.at("PATH"));
  header.candidate_count = static_cast<std::uint32_t>(candidates.size());
  header.argument_count = static_cast<std::uint32_t>(target.argv.size());
  header.environment_count = static_cast<std::uint32_t>(environment.size());
  std::string out(reinterpret_cast<const char*>(&header), sizeof header);
  put(out, directory_of(target, *user, data_folder));
  for (const std::string& path : candidates) put(out, path);
  for (const std::string& argument : target.argv) put(out, argument);
  for (const auto& [name, value] : environment) put(out, name + "=" + value);
  return out;
}

std::string describe(const SupervisorReport& report, const domain::ExecTarget& target) {
  if (report.kind == SupervisorReport::exited) return "exit " + std::to_string(report.value);
  if (report.kind == SupervisorReport::signalled) return signal_text(report.value);
  const std::string cause = std::generic_category().message(report.value);
  switch (report.stage) {
    case SupervisorReport::fork_stage:
      return "cannot start a process: " + cause;
    case SupervisorReport::user_stage:
      return "cannot become user \"" + target.user + "\": " + cause;
    case SupervisorReport::directory_stage:
      return "cannot enter working directory \"" + target.working_directory + "\": " + cause;
    case SupervisorReport::program_stage:
      return "cannot run \"" + target.argv.front() + "\": " + cause;
  }
  return cause;
}

bool is_retryable(const SupervisorReport& report) {
  if (report.kind != SupervisorReport::setup_failed) return true;
  if (report.stage == SupervisorReport::fork_stage) return true;
  constexpr int kLasting[] = {ENOENT, EACCES, ENOTDIR, EISDIR,  ENOEXEC,     EPERM,
                              ELOOP,  E2BIG,  EINVAL,  ELIBBAD, ENAMETOOLONG};
  return std::ranges::find(kLasting, report.value) == std::end(kLasting);
}

}  // namespace escapement::targets
