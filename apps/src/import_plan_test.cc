#include "import_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "escapement/domain/codec.h"

namespace escapement::apps {
namespace {

using testing::HasSubstr;

ImportPlan plan(std::string_view text) {
  Result<ImportPlan> made = plan_import(text, {.prefix = "crontab",
                                               .zone = "Europe/Berlin",
                                               .now = *parse_instant("2026-03-28T12:00:00Z")});
  EXPECT_TRUE(made.ok());
  return made.ok() ? *made : ImportPlan{};
}

TEST(ImportPlan, AJobDoesWhatCronDid) {
  const PlannedJob job =
      plan("HOME=/srv/shop\nSHELL=/bin/bash\nA=1\n# Nightly\n30 2 * * * cat%one\n").jobs.at(0);
  EXPECT_EQ(job.spec["schedule"],
            (Json{{"cron", "30 2 * * *"}, {"dialect", "unix"}, {"tz", "Europe/Berlin"}}));
  const Json& exec = job.spec["target"]["exec"];
  EXPECT_EQ(exec["argv"], (Json{"/bin/bash", "-c", "cat"}));
  EXPECT_EQ(exec["stdin"], "one\n");
  EXPECT_EQ(exec["cwd"], "/srv/shop");
  EXPECT_EQ(
      exec["env"],
      (Json{{"A", "1"}, {"HOME", "/srv/shop"}, {"PATH", "/usr/bin:/bin"}, {"SHELL", "/bin/bash"}}));
  EXPECT_EQ(job.spec["catch_up"]["policy"], "latest");
  EXPECT_EQ(job.spec["overlap"]["policy"], "allow");
  EXPECT_EQ(job.spec["retry"]["max_attempts"], 1);
  EXPECT_EQ(job.spec["description"], "Nightly");
  EXPECT_EQ(job.next_due, "2026-03-29T03:00:00+02:00");
  EXPECT_TRUE(domain::job_spec_from_json(job.spec).ok());
}

TEST(ImportPlan, CronTzWinsOverTheDefaultZone) {
  const ImportPlan got = plan("0 1 * * * a\nCRON_TZ=Asia/Shanghai\n0 1 * * * b\n");
  EXPECT_EQ(got.jobs.at(0).spec["schedule"]["tz"], "Europe/Berlin");
  EXPECT_EQ(got.jobs.at(1).spec["schedule"]["tz"], "Asia/Shanghai");
  EXPECT_EQ(got.jobs.at(1).next_due, "2026-03-29T01:00:00+08:00");
}

TEST(ImportPlan, AnUnknownZoneOrABadFieldIsAProblemOfItsLine) {
  const ImportPlan got =
      plan("CRON_TZ=Mars/Base\n0 1 * * * a\nCRON_TZ=UTC\n61 * * * * b\n@never c\n0 1 * * * d\n");
  ASSERT_EQ(got.jobs.size(), 1U);
  ASSERT_EQ(got.problems.size(), 3U);
  EXPECT_EQ(got.problems[0].line, 2U);
  EXPECT_THAT(got.problems[0].text, HasSubstr("Mars/Base"));
  EXPECT_EQ(got.problems[1].line, 4U);
  EXPECT_THAT(got.problems[1].text, HasSubstr("61"));
  EXPECT_EQ(got.problems[2].line, 5U);
}

TEST(ImportPlan, ProblemsComeInTheOrderOfLines) {
  const ImportPlan got = plan("61 * * * * a\n@reboot b\n62 * * * * c\n");
  ASSERT_EQ(got.problems.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(got.problems[i].line, i + 1);
}

TEST(ImportPlan, NamesStayWhenOtherLinesMove) {
  const ImportPlan before = plan("0 1 * * * alpha\n0 2 * * * beta --x\n");
  const ImportPlan after = plan("# new\n0 0 * * * gamma\n\n0 1 * * * alpha\n0 2 * * * beta --x\n");
  EXPECT_EQ(before.jobs.at(0).name, "crontab-alpha");
  EXPECT_EQ(before.jobs.at(1).name, "crontab-beta");
  EXPECT_EQ(after.jobs.at(1).name, before.jobs.at(0).name);
  EXPECT_EQ(after.jobs.at(2).name, before.jobs.at(1).name);
}

TEST(ImportPlan, TextThatJsonCannotCarryIsNotChangedInSilence) {
  const ImportPlan got = plan("0 1 * * * echo \xff\n# \xff\n0 2 * * * fine\n");
  ASSERT_EQ(got.problems.size(), 1U);
  EXPECT_THAT(got.problems[0].text, HasSubstr("UTF-8"));
  EXPECT_EQ(got.jobs.at(0).spec["description"], "");
}

TEST(ImportPlan, ItsJsonHasJobsProblemsAndNotes) {
  const Json json = to_json(plan("MAILTO=x\n@reboot y\n0 0 30 2 * never\n"));
  EXPECT_EQ(json["jobs"].size(), 1U);
  EXPECT_TRUE(json["jobs"][0]["next_due"].is_null());
  EXPECT_EQ(json["problems"][0]["line"], 2);
  EXPECT_EQ(json["notes"][0]["line"], 1);
}

}  // namespace
}  // namespace escapement::apps
