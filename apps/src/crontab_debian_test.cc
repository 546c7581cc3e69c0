// The crontabs that Debian ships, and what each of their lines must become.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import_plan.h"
#include "small_file.h"

namespace escapement::apps {
namespace {

struct Expected {
  std::size_t line;
  std::string name;
  std::string schedule;
  std::string user;
};
struct Case {
  std::string file;
  std::vector<Expected> jobs;
  std::size_t problems = 0;
  std::size_t notes = 0;
};

std::vector<Case> cases() {
  return {
      {"crontab",
       {{18, "crontab-cron.hourly", "17 * * * *", "root"},
        {19, "crontab-cron.daily", "25 6 * * *", "root"},
        {20, "crontab-cron.weekly", "47 6 * * 7", "root"},
        {21, "crontab-cron.monthly", "52 6 1 * *", "root"}}},
      {"amavisd-new",
       {{5, "amavisd-new-cronjob", "18 */3 * * *", "amavis"},
        {6, "amavisd-new-cronjob-2", "24 1 * * *", "amavis"}}},
      {"anacron", {{6, "anacron-invoke-rc.d", "30 7-23 * * *", "root"}}},
      {"atop", {{4, "atop.daily", "0 0 * * *", "root"}}},
      {"awstats",
       {{3, "awstats-update.sh", "*/10 * * * *", "www-data"},
        {6, "awstats-buildstatic.sh", "10 03 * * *", "www-data"}},
       0,
       1},
      {"cacti", {{2, "cacti-poller.php", "*/5 * * * *", "www-data"}}, 0, 1},
      {"certbot", {{17, "certbot", "0 */12 * * *", "root"}}},
      {"cron-apt", {{5, "cron-apt", "0 4 * * *", "root"}}},
      {"e2scrub_all",
       {{1, "e2scrub_all_cron", "30 3 * * 0", "root"}, {2, "e2scrub_all", "10 3 * * *", "root"}}},
      {"logcheck", {{7, "logcheck", "2 * * * *", "logcheck"}}, 1, 1},
      {"mdadm", {{12, "mdadm-checkarray", "57 0 * * 0", "root"}}},
      {"munin",
       {{7, "munin-cron", "*/5 * * * *", "munin"},
        {8, "munin-limits", "14 10 * * *", "munin"},
        {11, "munin-cat", "27 03 * * *", "munin"},
        {12, "munin-cat-2", "32 03 * * *", "www-data"}},
       0,
       1},
      {"munin-node", {{11, "munin-node-apt_all", "*/5 * * * *", "root"}}, 0, 1},
      {"ntpsec", {{1, "ntpsec-rotate-stats", "25 6 * * *", "root"}}},
      {"php", {{14, "php-sessionclean", "09,39 * * * *", "root"}}},
      {"roundcube-core",
       {{4, "roundcube-core-cleandb.sh", "0 5 * * *", "www-data"},
        {7, "roundcube-core-gc.sh", "5,35 * * * *", "www-data"}}},
      {"sysstat",
       {{6, "sysstat-debian-sa1", "5-55/10 * * * *", "root"},
        {9, "sysstat-debian-sa1-2", "59 23 * * *", "root"}}},
  };
}

std::string text_of_file(const std::string& file) {
  auto text = read_small_file(std::string(ESCAPEMENT_APPS_TESTDATA "/crontabs/") + file, 1 << 20);
  EXPECT_TRUE(text.ok()) << file;
  return text.ok() ? *text : "";
}

ImportPlan plan_of(const std::string& file) {
  auto plan = plan_import(text_of_file(file), {.system = true,
                                               .prefix = file,
                                               .zone = "Europe/Berlin",
                                               .now = *parse_instant("2026-03-28T12:00:00Z")});
  EXPECT_TRUE(plan.ok()) << file;
  return plan.ok() ? *plan : ImportPlan{};
}

TEST(DebianCrontabs, BecomeTheExpectedJobs) {
  for (const Case& expected : cases()) {
    ImportPlan plan = plan_of(expected.file);
    EXPECT_EQ(plan.problems.size(), expected.problems) << expected.file;
    EXPECT_EQ(plan.notes.size(), expected.notes) << expected.file;
    ASSERT_EQ(plan.jobs.size(), expected.jobs.size()) << expected.file;
    for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
      const PlannedJob& job = plan.jobs[i];
      EXPECT_EQ(job.line, expected.jobs[i].line) << expected.file;
      EXPECT_EQ(job.name, expected.jobs[i].name) << expected.file;
      EXPECT_EQ(job.spec["schedule"]["cron"], expected.jobs[i].schedule) << expected.file;
      EXPECT_EQ(job.spec["target"]["exec"]["user"], expected.jobs[i].user) << expected.file;
      EXPECT_FALSE(job.next_due.empty()) << expected.file;
    }
  }
}

TEST(DebianCrontabs, TheirPercentSignsReachTheShell) {
  const PlannedJob job = plan_of("mdadm").jobs.at(0);
  EXPECT_THAT(job.command, testing::HasSubstr("$(date +%d) -le 7"));
  EXPECT_FALSE(job.spec["target"]["exec"].contains("stdin"));
  EXPECT_THAT(job.spec["description"], testing::StartsWith("By default, run at 00:57"));
}

TEST(DebianCrontabs, TheirPathIsTheJobs) {
  const Json env = plan_of("sysstat").jobs.at(0).spec["target"]["exec"]["env"];
  EXPECT_EQ(env["PATH"], "/usr/lib/sysstat:/usr/sbin:/usr/sbin:/usr/bin:/sbin:/bin");
  EXPECT_EQ(plan_of("ntpsec").jobs.at(0).spec["target"]["exec"]["env"]["PATH"], kCronPath);
}

TEST(DebianCrontabs, RebootIsReportedWithItsLine) {
  ImportPlan plan = plan_of("logcheck");
  ASSERT_EQ(plan.problems.size(), 1U);
  EXPECT_EQ(plan.problems[0].line, 6U);
  EXPECT_THAT(plan.problems[0].text, testing::HasSubstr("@reboot"));
}

}  // namespace
}  // namespace escapement::apps
