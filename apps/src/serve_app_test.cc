// A whole server in this process, and the client verbs against it.
#include "escapement/apps/serve_app.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "cli_testing.h"
#include "data_folder.h"
#include "escapement/base/json.h"

namespace escapement::apps {
namespace {

using testing::HasSubstr;

class ServeAppTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "escapement-XXXXXX";
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    data_ = root_ + "/data";
  }
  void TearDown() override {
    app_.reset();
    std::filesystem::remove_all(root_);
  }

  Result<std::unique_ptr<ServeApp>> start(ServeOptions options) {
    return ServeApp::start(options, {*clock_, "", out_});
  }
  void serve() {
    auto app = start({.data = data_,
                      .listen = "127.0.0.1:0",
                      .allow_exec = true,
                      .print_runs = true,
                      .drain = std::chrono::seconds{1}});
    ASSERT_TRUE(app.ok()) << app.error().message;
    app_ = std::move(*app);
  }
  CliResult cli(std::vector<std::string> args) {
    args.insert(args.end(), {"--data", data_});
    return run(args);
  }
  // The id of the job's first run that succeeds.
  std::string finished_run(const std::string& job) {
    auto clock = make_system_clock();
    while (true) {
      CliResult runs = cli({"run", "list", "--job", job, "--state", "succeeded", "--json"});
      const Json list = *parse_json(runs.out);
      if (!list["runs"].empty()) return list["runs"][0]["id"].get<std::string>();
      clock->wait_until({.elapsed = clock->now().elapsed + std::chrono::milliseconds{20}});
    }
  }
  // A client that has its clock from the machine, to wait for runs.
  CliResult watch_one(const std::string& job) {
    std::istringstream in;
    std::ostringstream out;
    std::ostringstream err;
    auto clock = make_system_clock();
    Console console{in, out, err, {}, *clock, false};
    int status = run_cli({"run", "watch", "--job", job, "--count", "1", "--data", data_}, console);
    return {status, out.str(), err.str()};
  }

  std::string root_;
  std::string data_;
  std::ostringstream out_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  std::unique_ptr<ServeApp> app_;
};

TEST_F(ServeAppTest, MakesItsFolderTokenAndAddress) {
  serve();
  struct stat found {};
  ASSERT_EQ(::stat(data_.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0700U);
  ASSERT_EQ(::stat(token_path(data_).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777U, 0600U);
  EXPECT_EQ(first_line_of(token_path(data_)).size(), 64U);
  EXPECT_EQ(first_line_of(address_path(data_)), app_->url());
  app_->stop();
  EXPECT_FALSE(std::filesystem::exists(address_path(data_)));
}

TEST_F(ServeAppTest, TheTokenStays) {
  serve();
  std::string token = first_line_of(token_path(data_));
  app_.reset();
  serve();
  EXPECT_EQ(first_line_of(token_path(data_)), token);
}

TEST_F(ServeAppTest, ASecondServerIsRefused) {
  serve();
  auto second = start({.data = data_, .listen = "127.0.0.1:0"});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().field, "data");
}

TEST_F(ServeAppTest, APortInUseIsNamed) {
  serve();
  auto second = start({.data = root_ + "/other", .listen = app_->url().substr(7)});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().field, "listen");
  EXPECT_NE(second.error().code, ErrorCode::invalid);
}

TEST_F(ServeAppTest, BeyondLoopbackItWantsToBeAsked) {
  auto app = start({.data = data_, .listen = "0.0.0.0:0"});
  ASSERT_FALSE(app.ok());
  EXPECT_EQ(app.error().code, ErrorCode::invalid);
  EXPECT_THAT(app.error().message, HasSubstr("--insecure"));
  EXPECT_FALSE(std::filesystem::exists(data_));
}

TEST_F(ServeAppTest, AFolderThatCannotBeMadeIsNamed) {
  auto app = start({.data = root_ + "/no/such", .listen = "127.0.0.1:0"});
  ASSERT_FALSE(app.ok());
  EXPECT_EQ(app.error().field, "data");
}

TEST_F(ServeAppTest, JobsAreAddedShownPausedAndDeleted) {
  serve();
  EXPECT_EQ(cli({"job", "show", "night"}).status, kExitNotFound);
  CliResult added = cli({"job", "add", "night", "--cron", "0 2 * * *", "--tz", "Europe/Berlin",
                         "--http", "POST=http://127.0.0.1:1/x", "--header", "A: b"});
  EXPECT_EQ(added.status, kExitFine) << added.err;
  EXPECT_THAT(added.out, HasSubstr("saved night, next due "));
  EXPECT_THAT(cli({"job", "list"}).out, HasSubstr("0 2 * * *  Europe/Berlin"));
  CliResult shown = cli({"job", "show", "night", "--json"});
  EXPECT_EQ((*parse_json(shown.out))["target"]["http"]["headers"]["A"], "b");
  EXPECT_THAT(cli({"job", "pause", "night"}).out, HasSubstr("paused night"));
  EXPECT_THAT(cli({"job", "resume", "night"}).out, HasSubstr("resumed night"));
  EXPECT_EQ(cli({"job", "delete", "night"}).out, "deleted night\n");
  EXPECT_EQ(cli({"job", "delete", "night"}).status, kExitNotFound);
}

TEST_F(ServeAppTest, BadInputIsTheServersWord) {
  serve();
  CliResult got = cli({"job", "add", "a", "--cron", "61 * * * *", "--http", "http://127.0.0.1:1"});
  EXPECT_EQ(got.status, kExitUsage);
  EXPECT_THAT(got.err, HasSubstr("schedule.cron"));
  EXPECT_EQ(lines_of(got.err), 1U);
}

TEST_F(ServeAppTest, AWrongTokenIsSix) {
  serve();
  CliResult got = run({"job", "list", "--data", data_}, {.env = {{"ESCAPEMENT_TOKEN", "wrong"}}});
  EXPECT_EQ(got.status, kExitDenied);
}

TEST_F(ServeAppTest, TimersAreAddedMovedAndCancelled) {
  serve();
  const std::vector<std::string> add{
      "timer", "add", "order-17", "--in", "1h", "--http", "http://127.0.0.1:1/x"};
  EXPECT_THAT(cli(add).out, HasSubstr("timer order-17: planned, due "));
  EXPECT_EQ(cli(add).status, kExitFine);
  EXPECT_THAT(cli({"timer", "list"}).out, HasSubstr("order-17"));
  EXPECT_EQ(cli({"timer", "cancel", "order-17"}).out, "cancelled order-17\n");
  EXPECT_THAT(cli({"timer", "show", "order-17"}).out, HasSubstr("cancelled"));
  EXPECT_EQ(cli({"timer", "show", "order-18"}).status, kExitNotFound);
}

TEST_F(ServeAppTest, AnImportedLineRunsAsCronRanIt) {
  serve();
  CliResult imported =
      run({"job", "import", "-", "--yes", "--data", data_},
          {.in = "GREETING=\"hello there\"\n0 0 1 1 * echo \"$GREETING\"; cat%from stdin\n"});
  EXPECT_EQ(imported.status, kExitFine) << imported.err;
  ASSERT_EQ(cli({"job", "trigger", "crontab-greeting"}).status, kExitFine);
  CliResult shown = cli({"run", "show", finished_run("crontab-greeting")});
  EXPECT_THAT(shown.out, HasSubstr("hello there from stdin"));
  app_->stop();
  EXPECT_THAT(out_.str(), HasSubstr("crontab-greeting  succeeded  +"));
}

TEST_F(ServeAppTest, WatchShowsRunsAsTheyFinish) {
  serve();
  ASSERT_EQ(
      run({"job", "add", "beat", "--every", "100ms", "--data", data_, "--exec", "--", "/bin/true"})
          .status,
      kExitFine);
  CliResult watched = watch_one("beat");
  EXPECT_EQ(watched.status, kExitFine) << watched.err;
  EXPECT_THAT(watched.out, HasSubstr("  beat  succeeded  +"));
  EXPECT_EQ(lines_of(watched.out), 1U);
}

}  // namespace
}  // namespace escapement::apps
