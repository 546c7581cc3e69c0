#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>

#include "escapement/domain/limits.h"
#include "escapement/targets/router.h"
#include "exec_runner.h"
#include "test_sink.h"
#include "unique_fd.h"

namespace escapement::targets {
namespace {

using domain::AttemptState;
using domain::ExecTarget;

// A fifo that commands open for writing: its end of file is the death of all of them.
class Fifo {
 public:
  Fifo() {
    char name[] = "/tmp/escapement-exec-XXXXXX";
    folder_ = mkdtemp(name);
    EXPECT_EQ(mkfifo(path().c_str(), 0600), 0);
    reader_ = UniqueFd(open(path().c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  }
  ~Fifo() { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/fifo"; }

  // Reads until `text` has been seen.
  void wait_for(const std::string& text) {
    while (seen_.find(text) == std::string::npos) {
      if (!read_more()) {
        ADD_FAILURE() << "no \"" << text << "\" in \"" << seen_ << "\"";
        return;
      }
    }
  }
  void wait_for_end() {
    while (read_more()) {
    }
    EXPECT_TRUE(at_end_) << "somebody still lives";
  }

 private:
  bool read_more() {
    pollfd event{reader_.get(), POLLIN, 0};
    if (poll(&event, 1, static_cast<int>(kTestPatience.count() * 1000)) <= 0) return false;
    char block[4096];
    const ssize_t size = read(reader_.get(), block, sizeof block);
    at_end_ = size == 0;
    if (size > 0) seen_.append(block, static_cast<std::size_t>(size));
    return size > 0;
  }

  std::string folder_;
  UniqueFd reader_;
  std::string seen_;
  bool at_end_ = false;
};

class Exec : public testing::Test {
 protected:
  Targets& targets() {
    if (!targets_) {
      targets_.emplace(
          TargetOptions{.allow_exec = true, .data_folder = "/tmp", .kill_grace = grace_}, *clock_,
          sink_.sink());
    }
    return *targets_;
  }
  engine::Dispatch start(ExecTarget target) {
    const auto dispatch = make_dispatch(std::move(target), ++run_);
    targets().start(dispatch);
    return dispatch;
  }
  engine::AttemptResult run(ExecTarget target) { return sink_.wait(start(std::move(target))); }
  static ExecTarget shell(std::string line) { return {.argv = {"/bin/sh", "-c", std::move(line)}}; }

  Duration grace_ = std::chrono::seconds{30};
  std::unique_ptr<Clock> clock_ = make_system_clock();
  TestSink sink_;
  std::int64_t run_ = 0;
  std::optional<Targets> targets_;
};

TEST_F(Exec, ExitCodesDecide) {
  const auto ok = run(shell("echo out; echo err >&2"));
  EXPECT_EQ(ok.state, AttemptState::succeeded);
  EXPECT_EQ(ok.status, 0);
  EXPECT_EQ(ok.error, "");
  EXPECT_EQ(ok.output, "out\nerr\n");
  const auto bad = run(shell("echo why; exit 3"));
  EXPECT_EQ(bad.state, AttemptState::failed);
  EXPECT_TRUE(bad.retryable);
  EXPECT_EQ(bad.status, 3);
  EXPECT_EQ(bad.error, "exit 3");
  EXPECT_EQ(bad.output, "why\n");
  const auto killed = run(shell("kill -9 $$"));
  EXPECT_EQ(killed.status, 137);
  EXPECT_EQ(killed.error, "killed by signal 9 (SIGKILL)");
  EXPECT_TRUE(killed.retryable);
}

TEST_F(Exec, ArgumentsAreNoShellLine) {
  const auto result = run({.argv = {"printf", "%s|%s", "$HOME `id`", "a b"}});
  EXPECT_EQ(result.output, "$HOME `id`|a b");
}

TEST_F(Exec, ProgramsThatCannotRunAreFinalAndNamed) {
  const auto missing = run({.argv = {"/no/such/program"}});
  EXPECT_EQ(missing.state, AttemptState::failed);
  EXPECT_FALSE(missing.retryable);
  EXPECT_EQ(missing.error, "cannot run \"/no/such/program\": No such file or directory");
  EXPECT_EQ(run({.argv = {"no-such-program"}}).error,
            "cannot run \"no-such-program\": No such file or directory");
  EXPECT_EQ(run({.argv = {"/etc/passwd"}}).error, "cannot run \"/etc/passwd\": Permission denied");
  const auto folder = run({.argv = {"true"}, .working_directory = "/no/such"});
  EXPECT_EQ(folder.error, "cannot enter working directory \"/no/such\": No such file or directory");
  EXPECT_FALSE(folder.retryable);
}

TEST_F(Exec, BadTargetsAreRefused) {
  const ExecTarget cases[] = {
      {},
      {.argv = {""}},
      {.argv = {"true", std::string("a\0b", 3)}},
      {.argv = {"true"}, .environment = {{"", "x"}}},
      {.argv = {"true"}, .environment = {{"A=B", "x"}}},
      {.argv = std::vector<std::string>(domain::kMaxArgv + 1, "true")},
      {.argv = {"true"}, .user = "no-such-user-here"},
  };
  for (const ExecTarget& target : cases) {
    const auto result = run(target);
    EXPECT_EQ(result.state, AttemptState::failed);
    EXPECT_FALSE(result.retryable);
    EXPECT_TRUE(result.error.starts_with("target.")) << result.error;
  }
  EXPECT_EQ(run({.argv = std::vector<std::string>(domain::kMaxArgv, "true")}).error, "");
}

TEST_F(Exec, StdinIsFedAndPayloadReplacesIt) {
  const std::string large(domain::kMaxPayloadBytes, 'x');
  EXPECT_EQ(run({.argv = {"wc", "-c"}, .stdin_text = large}).output,
            std::to_string(large.size()) + "\n");
  EXPECT_EQ(run({.argv = {"cat"}}).output, "");
  auto dispatch = make_dispatch(ExecTarget{.argv = {"cat"}, .stdin_text = "old"}, 100);
  dispatch.payload = "new";
  targets().start(dispatch);
  EXPECT_EQ(sink_.wait(dispatch).output, "new");
  // Does not read at all: neither SIGPIPE nor a full pipe may hurt.
  EXPECT_EQ(run({.argv = {"true"}, .stdin_text = large}).state, AttemptState::succeeded);
}

TEST_F(Exec, EnvironmentIsSmallAndTellsTheRun) {
  setenv("ESCAPEMENT_SECRET_OF_SERVER", "secret", 1);
  const auto result =
      run({.argv = {"/usr/bin/env"},
           .environment = {{"MINE", "1"}, {"HOME", "/h"}, {"ESCAPEMENT_RUN", "x"}}});
  for (const char* line : {"MINE=1\n", "HOME=/h\n", "SHELL=/bin/sh\n", "PATH=", "LOGNAME=", "LANG=",
                           "ESCAPEMENT_JOB=nightly\n", "ESCAPEMENT_RUN=store-1\n",
                           "ESCAPEMENT_DUE=2026-03-29T01:30:00.000250Z\n", "ESCAPEMENT_ATTEMPT=1\n",
                           "ESCAPEMENT_TERM=7\n"}) {
    EXPECT_NE(result.output.find(line), std::string::npos) << line << result.output;
  }
  EXPECT_EQ(result.output.find("secret"), std::string::npos);
}

TEST_F(Exec, WorkingDirectoryIsTheDataFolderUnlessGiven) {
  EXPECT_EQ(run({.argv = {"pwd"}}).output, "/tmp\n");
  EXPECT_EQ(run({.argv = {"pwd"}, .working_directory = "/usr"}).output, "/usr\n");
}

TEST_F(Exec, OtherUsersNeedRoot) {
  const auto result =
      run({.argv = {"/bin/sh", "-c", "id -un; pwd"}, .working_directory = "/", .user = "nobody"});
  if (geteuid() == 0) {
    EXPECT_EQ(result.output, "nobody\n/\n") << result.error;
  } else {
    EXPECT_EQ(result.error, "target.user: user \"nobody\" needs a server that runs as root");
    EXPECT_FALSE(result.retryable);
  }
}

TEST_F(Exec, CommandsInheritNothing) {
  const UniqueFd leak(open("/dev/null", O_RDONLY));  // not closed on exec
  const auto result =
      run(shell("ls /proc/self/fd | tr '\\n' ' '; "
                "grep -E 'SigBlk|SigIgn' /proc/self/status"));
  EXPECT_TRUE(result.output.starts_with("0 1 2 3 ")) << result.output;  // 3 is ls's own
  EXPECT_EQ(result.output.find(" 4 "), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("SigBlk:\t0000000000000000"), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("SigIgn:\t0000000000000000"), std::string::npos) << result.output;
}

TEST_F(Exec, OutputIsCutAtItsLimit) {
  const auto output_of = [this](std::size_t size) {
    return run({.argv = {"head", "-c", std::to_string(size), "/dev/zero"}}).output;
  };
  EXPECT_EQ(output_of(domain::kMaxOutputBytes - 1).size(), domain::kMaxOutputBytes - 1);
  const std::string whole = output_of(domain::kMaxOutputBytes);
  EXPECT_EQ(whole, std::string(domain::kMaxOutputBytes, '\0'));
  for (const std::size_t size : {domain::kMaxOutputBytes + 1, std::size_t{50'000'000}}) {
    const std::string cut = output_of(size);
    EXPECT_EQ(cut.size(), domain::kMaxOutputBytes);
    EXPECT_TRUE(cut.ends_with("\n[output truncated]"));
  }
}

TEST_F(Exec, AbortTerminatesTheGroup) {
  Fifo fifo;
  const auto dispatch = start(shell("exec 3>" + fifo.path() + "; sleep 1000 & echo up >&3; wait"));
  fifo.wait_for("up");
  targets().abort(dispatch.key);
  const auto result = sink_.wait(dispatch);
  EXPECT_EQ(result.state, AttemptState::timed_out);
  EXPECT_EQ(result.error, "timed out after 30s");
  EXPECT_EQ(result.status, 128 + SIGTERM);
  fifo.wait_for_end();
}

TEST_F(Exec, AbortKillsWhoIgnoresSigtermAndWhoLeftTheSession) {
  grace_ = std::chrono::milliseconds{50};
  Fifo fifo;
  const auto dispatch = start(
      shell("trap '' TERM; exec 3>" + fifo.path() +
            "; setsid sh -c '(sleep 1000 & sleep 1000) & echo left >&3; sleep 1000' & "
            "while read x; do :; done < /dev/null; echo up >&3; while :; do sleep 1000; done"));
  fifo.wait_for("up");
  fifo.wait_for("left");
  targets().abort(dispatch.key);
  const auto result = sink_.wait(dispatch);
  EXPECT_EQ(result.state, AttemptState::timed_out);
  EXPECT_EQ(result.status, 128 + SIGKILL);
  fifo.wait_for_end();
}

TEST_F(Exec, DaemonThatKeepsTheOutputDoesNotKeepTheAttempt) {
  Fifo fifo;
  const auto result =
      run(shell("exec 3>" + fifo.path() + "; setsid sleep 1000 & (sleep 1000 &) ; echo done"));
  EXPECT_EQ(result.state, AttemptState::succeeded);
  EXPECT_EQ(result.output, "done\n");
  fifo.wait_for_end();
}

TEST_F(Exec, ShutdownStopsAllAndAnswersAll) {
  Fifo fifo;
  const auto a = start(shell("exec 3>" + fifo.path() + "; echo one >&3; exec sleep 1000"));
  const auto b = start(shell("exec 3>" + fifo.path() + "; echo two >&3; exec sleep 1000"));
  fifo.wait_for("one");
  fifo.wait_for("two");
  targets().shutdown();
  EXPECT_EQ(sink_.count(), 2u);
  EXPECT_EQ(sink_.wait(a).state, AttemptState::failed);
  EXPECT_TRUE(sink_.wait(b).retryable);
  EXPECT_EQ(sink_.wait(b).error, "the server is shutting down: killed by signal 15 (SIGTERM)");
  EXPECT_EQ(run({.argv = {"true"}}).error, "the server is shutting down");
  fifo.wait_for_end();
}

TEST_F(Exec, KilledServerLeavesNoChild) {
  Fifo fifo;
  const std::string line = "trap '' TERM INT HUP; exec 3>" + fifo.path() +
                           "; setsid sleep 1000 & sleep 1000 & echo up >&3; wait";
  const pid_t server = fork();
  ASSERT_GE(server, 0);
  if (server == 0) {
    targets();
    start(shell(line));
    while (true) pause();
  }
  fifo.wait_for("up");
  kill(server, SIGKILL);
  ASSERT_EQ(waitpid(server, nullptr, 0), server);
  fifo.wait_for_end();
}

TEST_F(Exec, ManyAtOnceAndAbortsInARaceAnswerEachOnce) {
  constexpr std::int64_t kRuns = 100;
  for (std::int64_t i = 0; i < kRuns; ++i) {
    const auto dispatch = start({.argv = {"true"}});
    if (i % 2 == 0) targets().abort(dispatch.key);
  }
  sink_.wait_for_count(kRuns);
  targets().shutdown();
  EXPECT_EQ(sink_.count(), static_cast<std::size_t>(kRuns));
  for (std::int64_t run = 1; run <= kRuns; ++run) {
    EXPECT_EQ(sink_.count({domain::RunId{run}, 1}), 1u);
  }
}

TEST(ExecHost, IsReplacedAfterItWasKilled) {
  ExecHost host;
  const pid_t first = host.process();
  kill(first, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(first), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(host.spawn("x").ok());
  EXPECT_GT(host.process(), 0);
}

}  // namespace
}  // namespace escapement::targets
