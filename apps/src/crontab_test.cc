#include "crontab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace escapement::apps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

Crontab read(std::string_view text, bool system = false) {
  Result<Crontab> crontab = parse_crontab(text, {.system = system});
  EXPECT_TRUE(crontab.ok());
  return crontab.ok() ? *crontab : Crontab{};
}

CrontabEntry entry(std::string_view line) {
  Crontab crontab = read(line);
  EXPECT_EQ(crontab.entries.size(), 1U) << line;
  return crontab.entries.empty() ? CrontabEntry{} : crontab.entries[0];
}

std::string problem(std::string_view line, bool system = false) {
  Crontab crontab = read(line, system);
  EXPECT_TRUE(crontab.entries.empty()) << line;
  EXPECT_EQ(crontab.problems.size(), 1U) << line;
  return crontab.problems.empty() ? "" : crontab.problems[0].text;
}

TEST(Crontab, AnEntryIsFiveFieldsAndACommand) {
  CrontabEntry got = entry("  5\t0 * * *   $HOME/bin/daily.job >> $HOME/tmp/out 2>&1\n");
  EXPECT_EQ(got.line, 1U);
  EXPECT_EQ(got.schedule, "5 0 * * *");
  EXPECT_EQ(got.command, "$HOME/bin/daily.job >> $HOME/tmp/out 2>&1");
  EXPECT_EQ(got.shell, "/bin/sh");
  EXPECT_EQ(got.stdin_text, "");
  EXPECT_EQ(got.user, "");
}

TEST(Crontab, MacrosAreOneField) {
  EXPECT_EQ(entry("@daily backup --all").schedule, "@daily");
  EXPECT_EQ(entry("@daily backup --all").command, "backup --all");
  EXPECT_EQ(entry("@every 90s poll").schedule, "@every 90s");
  EXPECT_EQ(entry("@every 90s poll").command, "poll");
}

TEST(Crontab, TheLastLineNeedsNoEndAndCarriageReturnsGo) {
  EXPECT_EQ(entry("* * * * * one").command, "one");
  EXPECT_EQ(entry("* * * * * one\r\n").command, "one");
}

TEST(Crontab, CommentsBlankLinesAndNothingAreNoEntries) {
  Crontab crontab = read("# a\n\n   \t\n  # b * * * * * c\n");
  EXPECT_TRUE(crontab.entries.empty());
  EXPECT_TRUE(crontab.problems.empty());
  EXPECT_TRUE(read("").entries.empty());
}

TEST(Crontab, ASharpSignInACommandIsNoComment) {
  EXPECT_EQ(entry("* * * * * echo a # b").command, "echo a # b");
}

TEST(Crontab, TheFirstPercentBeginsStandardInput) {
  CrontabEntry got = entry("0 22 * * 1-5 mail -s \"It's 10pm\" joe%Joe,%%Where are your kids?%");
  EXPECT_EQ(got.command, "mail -s \"It's 10pm\" joe");
  EXPECT_EQ(got.stdin_text, "Joe,\n\nWhere are your kids?\n");
}

TEST(Crontab, StandardInputEndsWithANewline) {
  EXPECT_EQ(entry("* * * * * cat%one%two").stdin_text, "one\ntwo\n");
  EXPECT_EQ(entry("* * * * * cat%").stdin_text, "");
  EXPECT_EQ(entry("* * * * * cat%%").stdin_text, "\n");
}

TEST(Crontab, AnEscapedPercentIsAPercent) {
  EXPECT_EQ(entry("* * * * * date +\\%Y-\\%m").command, "date +%Y-%m");
  EXPECT_EQ(entry("* * * * * cat%50\\% off%end").stdin_text, "50% off\nend\n");
}

TEST(Crontab, OtherBackslashesStay) {
  CrontabEntry got = entry("* * * * * printf 'a\\nb' \\\\%x\\y\\");
  EXPECT_EQ(got.command, "printf 'a\\nb' \\\\");
  EXPECT_EQ(got.stdin_text, "x\\y\\\n");
}

TEST(Crontab, VariablesHoldForTheLinesBelow) {
  Crontab crontab = read("* * * * * one\nA=1\n* * * * * two\nA=2\nB=3\n* * * * * three\n");
  ASSERT_EQ(crontab.entries.size(), 3U);
  EXPECT_TRUE(crontab.entries[0].variables->empty());
  EXPECT_THAT(*crontab.entries[1].variables, ElementsAre(Pair("A", "1")));
  EXPECT_THAT(*crontab.entries[2].variables, ElementsAre(Pair("A", "2"), Pair("B", "3")));
}

TEST(Crontab, QuotesAreRemovedAndNothingIsExpanded) {
  Crontab crontab = read(
      "A = $HOME/bin:$PATH  \nB=\" two  blanks \"\n'C' = 'it is \"so\"'\nD=\nE=\"\"\nF=a=b\n"
      "* * * * * x\n");
  ASSERT_EQ(crontab.entries.size(), 1U);
  EXPECT_THAT(
      *crontab.entries[0].variables,
      ElementsAre(Pair("A", "$HOME/bin:$PATH"), Pair("B", " two  blanks "),
                  Pair("C", "it is \"so\""), Pair("D", ""), Pair("E", ""), Pair("F", "a=b")));
}

TEST(Crontab, WhatFollowsAClosingQuoteIsAProblem) {
  EXPECT_THAT(problem("A=\"b\" c\n"), HasSubstr("NAME=VALUE"));
  EXPECT_THAT(problem("A=\"b\n"), HasSubstr("NAME=VALUE"));
}

TEST(Crontab, AssignmentsInACommandAreTheShells) {
  EXPECT_EQ(entry("* * * * * A=1 b").command, "A=1 b");
}

TEST(Crontab, ShellIsTheOneThatGetsTheLine) {
  Crontab crontab = read("SHELL=/bin/bash\n* * * * * x\nSHELL=\n* * * * * y\n");
  ASSERT_EQ(crontab.entries.size(), 2U);
  EXPECT_EQ(crontab.entries[0].shell, "/bin/bash");
  EXPECT_EQ(crontab.entries[1].shell, "/bin/sh");
}

TEST(Crontab, CronTzIsTheZoneOfTheLinesBelowAndTzIsAVariable) {
  Crontab crontab = read(
      "0 1 * * * a\nCRON_TZ=Europe/Berlin\nTZ=Asia/Tokyo\n0 1 * * * b\nCRON_TZ=\n0 1 * * * c\n");
  ASSERT_EQ(crontab.entries.size(), 3U);
  EXPECT_EQ(crontab.entries[0].zone, "");
  EXPECT_EQ(crontab.entries[1].zone, "Europe/Berlin");
  EXPECT_THAT(*crontab.entries[1].variables, ElementsAre(Pair("TZ", "Asia/Tokyo")));
  EXPECT_EQ(crontab.entries[2].zone, "");
}

TEST(Crontab, MailtoIsNotedAndIgnored) {
  Crontab crontab = read("MAILTO=\"\"\n* * * * * x\n");
  ASSERT_EQ(crontab.notes.size(), 1U);
  EXPECT_EQ(crontab.notes[0].line, 1U);
  EXPECT_THAT(crontab.notes[0].text, HasSubstr("MAILTO"));
  EXPECT_TRUE(crontab.entries.at(0).variables->empty());
}

TEST(Crontab, TheSystemFormatHasAUser) {
  Crontab crontab = read("17 *\t* * *\troot\tcd / && run\n@hourly www-data x y\n", true);
  ASSERT_EQ(crontab.entries.size(), 2U);
  EXPECT_EQ(crontab.entries[0].user, "root");
  EXPECT_EQ(crontab.entries[0].command, "cd / && run");
  EXPECT_EQ(crontab.entries[1].user, "www-data");
  EXPECT_EQ(crontab.entries[1].command, "x y");
}

TEST(Crontab, AUserAloneIsNoCommand) {
  EXPECT_THAT(problem("* * * * * backup", true), HasSubstr("the sixth field is read as the user"));
}

TEST(Crontab, CommentsDirectlyAboveDescribeTheEntry) {
  Crontab crontab = read(
      "# about the file\n\n# Rotate\n#  the logs\n#\n0 0 * * * rotate\n0 1 * * * next\n"
      "# of a variable\nA=1\n0 2 * * * third\n");
  ASSERT_EQ(crontab.entries.size(), 3U);
  EXPECT_EQ(crontab.entries[0].description, "Rotate the logs");
  EXPECT_EQ(crontab.entries[1].description, "");
  EXPECT_EQ(crontab.entries[2].description, "");
}

TEST(Crontab, ColumnHeadersAndEntriesTakenOutOfUseAreNoDescription) {
  EXPECT_EQ(read("# Sync\n# m h dom mon dow command\n0 0 * * * x\n").entries.at(0).description,
            "Sync");
  EXPECT_EQ(read("# Old\n#5 4 * * * old\n0 0 * * * x\n").entries.at(0).description, "");
}

TEST(Crontab, ABadLineIsReportedAndTheRestIsRead) {
  Crontab crontab = read("@reboot start\n* * * x\n0 0 * * *\n0 0 * * * good\n* * * * * %only\n");
  ASSERT_EQ(crontab.entries.size(), 1U);
  EXPECT_EQ(crontab.entries[0].command, "good");
  EXPECT_EQ(crontab.entries[0].line, 4U);
  ASSERT_EQ(crontab.problems.size(), 4U);
  EXPECT_THAT(crontab.problems[0].text, HasSubstr("@reboot"));
  EXPECT_EQ(crontab.problems[1].line, 2U);
  EXPECT_THAT(crontab.problems[1].text, HasSubstr("five fields"));
  EXPECT_THAT(crontab.problems[2].text, HasSubstr("no command"));
  EXPECT_EQ(crontab.problems[3].line, 5U);
  EXPECT_THAT(crontab.problems[3].text, HasSubstr("empty"));
}

TEST(Crontab, LimitsAreKept) {
  EXPECT_FALSE(parse_crontab(std::string(kMaxCrontabBytes + 1, '\n'), {}).ok());
  EXPECT_FALSE(parse_crontab(std::string(kMaxCrontabLines + 1, '\n'), {}).ok());
  EXPECT_TRUE(parse_crontab(std::string(kMaxCrontabLines, '\n'), {}).ok());
  EXPECT_THAT(problem("* * * * * " + std::string(kMaxCrontabLineBytes, 'x')),
              HasSubstr("longer than"));
  EXPECT_THAT(problem(std::string("* * * * * a\0b", 13)), HasSubstr("NUL"));
}

TEST(Crontab, TooManyVariablesAreAProblemOfTheirLines) {
  std::string text;
  for (std::size_t i = 0; i <= kMaxCrontabVariables; ++i) text += "A" + std::to_string(i) + "=1\n";
  Crontab crontab = read(text + "* * * * * x\n");
  EXPECT_EQ(crontab.problems.size(), 1U);
  EXPECT_EQ(crontab.entries.at(0).variables->size(), kMaxCrontabVariables);
}

}  // namespace
}  // namespace escapement::apps
