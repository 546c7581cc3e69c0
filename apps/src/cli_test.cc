#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli_testing.h"
#include "listen_address.h"
#include "run_line.h"
#include "spec_json.h"

namespace escapement::apps {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Nobody listens on port 1.
const std::map<std::string, std::string> kNoServer{{"ESCAPEMENT_SERVER", "http://127.0.0.1:1"},
                                                   {"ESCAPEMENT_TOKEN", "secret"}};

TEST(Cli, UnknownVerbsAndOptionsAreTwoAndOneLine) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"fly"},
                                               {"job"},
                                               {"job", "add"},
                                               {"job", "show"},
                                               {"job", "list", "--colour"},
                                               {"serve", "--drain"},
                                               {"job", "show", "a", "b"}}) {
    CliResult got = run(args);
    EXPECT_EQ(got.status, kExitUsage);
    EXPECT_EQ(got.out, "");
    EXPECT_EQ(lines_of(got.err), 1U) << got.err;
    EXPECT_THAT(got.err, StartsWith("escapement: "));
  }
}

TEST(Cli, HelpAndVersionAreFine) {
  CliResult version = run({"--version"});
  EXPECT_EQ(version.status, kExitFine);
  EXPECT_THAT(version.out, StartsWith("escapement "));
  for (const std::vector<std::string>& args : {std::vector<std::string>{"help"},
                                               {"--help"},
                                               {"help", "job"},
                                               {"job", "add", "--help"},
                                               {"help", "job", "add"},
                                               {"help", "cron", "next"},
                                               {"serve", "--help"}}) {
    CliResult got = run(args);
    EXPECT_EQ(got.status, kExitFine) << got.err;
    EXPECT_THAT(got.out, HasSubstr("escapement"));
  }
  EXPECT_THAT(run({"help", "job", "add"}).out, HasSubstr("Examples:"));
  EXPECT_EQ(run({}).status, kExitUsage);
}

TEST(Cli, WithoutAServerItIsFive) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"job", "list"},
        {"job", "show", "a"},
        {"run", "list"},
        {"run", "watch"},
        {"timer", "cancel", "k"},
        {"job", "add", "a", "--manual", "--http", "http://x"},
        {"job", "add", "a", "--every", "5s", "--exec", "--", "/bin/echo", "--json"}}) {
    CliResult got = run(args, {.env = kNoServer});
    EXPECT_EQ(got.status, kExitUnreachable) << got.err;
    EXPECT_EQ(lines_of(got.err), 1U);
  }
}

TEST(Cli, ContradictingOptionsAreTwoBeforeAnythingIsSent) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"job", "add", "a", "--http", "http://x"},
        {"job", "add", "a", "--every", "5s", "--manual", "--http", "http://x"},
        {"job", "add", "a", "--every", "5s"},
        {"job", "add", "a", "--every", "5s", "--exec"},
        {"job", "add", "a", "--manual", "--http", "http://x", "--exec", "--", "b"},
        {"job", "add", "a", "--manual", "--http", "http://x", "--header", "nocolon"},
        {"job", "add", "a", "--manual", "--http", "http://x", "--overlap", "queue:many"},
        {"timer", "add", "k", "--http", "http://x"},
        {"timer", "add", "k", "--in", "5s", "--at", "2026-01-01T00:00:00Z", "--http", "http://x"},
        {"job", "list", "--server", "https://x"},
        {"job", "list", "--server", "http://x:99999"}}) {
    CliResult got = run(args, {.env = kNoServer});
    EXPECT_EQ(got.status, kExitUsage) << args.back() << got.err;
    EXPECT_EQ(lines_of(got.err), 1U);
  }
}

TEST(SpecJson, HttpTakesMethodHeadersAndBody) {
  TargetOptions options{
      .http = "PUT=https://e.com/a?b=c", .headers = {"A: b", "X-Y:z:1"}, .body = "{\"a\": 1}"};
  EXPECT_EQ(*target_json(options), (Json{{"http",
                                          {{"method", "PUT"},
                                           {"url", "https://e.com/a?b=c"},
                                           {"headers", {{"A", "b"}, {"X-Y", "z:1"}}},
                                           {"body", {{"a", 1}}}}}}));
  EXPECT_EQ((*target_json({.http = "http://x/?q=1"}))["http"]["method"], "POST");
  EXPECT_EQ((*target_json({.http = "http://x", .body = "{no"}))["http"]["body"], "{no");
}

TEST(SpecJson, ExecTakesArgvAndSurroundings) {
  TargetOptions options{.exec = true,
                        .argv = {"/bin/sh", "-c", "x"},
                        .stdin_text = "in",
                        .env = {"A=b=c"},
                        .cwd = "/tmp",
                        .user = "joe"};
  EXPECT_EQ(*target_json(options), (Json{{"exec",
                                          {{"argv", {"/bin/sh", "-c", "x"}},
                                           {"stdin", "in"},
                                           {"env", {{"A", "b=c"}}},
                                           {"cwd", "/tmp"},
                                           {"user", "joe"}}}}));
}

TEST(SpecJson, PoliciesTakeALimit) {
  Json spec = Json::object();
  ASSERT_TRUE(add_policies({.timeout = "5s",
                            .max_attempts = 2,
                            .catch_up = "all:50",
                            .overlap = "skip",
                            .paused = true},
                           spec)
                  .ok());
  EXPECT_EQ(spec, (Json{{"timeout", "5s"},
                        {"retry", {{"max_attempts", 2}}},
                        {"catch_up", {{"policy", "all"}, {"limit", 50}}},
                        {"overlap", {{"policy", "skip"}}},
                        {"enabled", false}}));
}

TEST(JobImport, ADryRunOnlyShows) {
  CliResult got = run({"job", "import", "-", "--dry-run", "--tz", "UTC"},
                      {.in = "MAILTO=x\n30 2 * * * backup --all\n@reboot y\n", .env = kNoServer});
  EXPECT_EQ(got.status, kExitFine);
  EXPECT_THAT(got.out, HasSubstr("crontab-backup"));
  EXPECT_THAT(got.out, HasSubstr("2026-03-29T02:30:00+00:00"));
  EXPECT_THAT(got.err, HasSubstr("note: line 1: MAILTO"));
  EXPECT_THAT(got.err, HasSubstr("not imported: line 3: @reboot"));
}

TEST(JobImport, WhereNobodyCanBeAskedItNeedsYes) {
  CliInput input{.in = "30 2 * * * backup\n", .env = kNoServer};
  CliResult got = run({"job", "import", "-"}, input);
  EXPECT_EQ(got.status, kExitUsage);
  EXPECT_THAT(got.out, HasSubstr("crontab-backup"));
  EXPECT_THAT(got.err, HasSubstr("--yes"));
  EXPECT_EQ(run({"job", "import", "-", "--yes"}, input).status, kExitUnreachable);
}

TEST(JobImport, AnswersOfATerminalDecide) {
  const std::string file = ESCAPEMENT_APPS_TESTDATA "/crontabs/php";
  CliInput input{.in = "n\n", .env = kNoServer, .terminal = true};
  CliResult refused = run({"job", "import", "--system", file}, input);
  EXPECT_EQ(refused.status, kExitUsage);
  EXPECT_THAT(refused.err, HasSubstr("nothing was changed"));
  input.in = "y\n";
  EXPECT_EQ(run({"job", "import", "--system", file}, input).status, kExitUnreachable);
}

TEST(JobImport, JsonIsThePlan) {
  CliResult got = run({"job", "import", "-", "--dry-run", "--json", "--prefix", "p"},
                      {.in = "CRON_TZ=UTC\n0 1 * * * x\n"});
  Result<Json> json = parse_json(got.out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["jobs"][0]["name"], "p-x");
}

TEST(JobImport, NothingToImportIsTwo) {
  EXPECT_EQ(run({"job", "import", "-", "--yes"}, {.in = "@reboot x\n"}).status, kExitUsage);
  EXPECT_EQ(run({"job", "import", "/no/such/file", "--yes"}).status, kExitUsage);
  EXPECT_EQ(run({"job", "import", "-", "--yes"}, {.in = "# nothing\n"}).status, kExitFine);
}

TEST(ListenAddress, IsReadStrictly) {
  EXPECT_EQ(url_of(*parse_listen("127.0.0.1:7070")), "http://127.0.0.1:7070");
  EXPECT_EQ(url_of(*parse_listen("[::1]:80")), "http://[::1]:80");
  EXPECT_EQ(url_of(*parse_listen("0.0.0.0:80")), "http://127.0.0.1:80");
  for (const char* text : {"", "7070", ":7070", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x",
                           "127.0.0.1:65536", "::1:80", "[::1:80", "example.com:80", "127.1:80"}) {
    EXPECT_FALSE(parse_listen(text).ok()) << text;
  }
  EXPECT_TRUE(is_loopback(*parse_listen("127.9.9.9:1")));
  EXPECT_TRUE(is_loopback(*parse_listen("[::1]:1")));
  EXPECT_FALSE(is_loopback(*parse_listen("0.0.0.0:1")));
}

TEST(RunLine, ShowsTimeNameStateLatenessAndAttempt) {
  RunLine line{.at = *parse_instant("2026-01-01T12:00:01.000400Z"),
               .name = "heartbeat",
               .state = "succeeded",
               .lateness_ms = 0.4,
               .attempt = 1};
  EXPECT_EQ(run_line(line), "12:00:01.000  heartbeat  succeeded  +0.4 ms  attempt 1");
}

}  // namespace
}  // namespace escapement::apps
