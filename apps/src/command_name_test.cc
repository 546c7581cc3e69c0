#include "command_name.h"

#include <gtest/gtest.h>

namespace escapement::apps {
namespace {

TEST(CommandName, IsTheProgramThatDoesTheWork) {
  EXPECT_EQ(command_name("/usr/local/bin/Backup.sh --all"), "backup.sh");
  EXPECT_EQ(command_name("cd / && run-parts --report /etc/cron.hourly"), "cron.hourly");
  EXPECT_EQ(command_name("test -e /run/systemd/system || SERVICE_MODE=1 /sbin/e2scrub_all -A"),
            "e2scrub_all");
  EXPECT_EQ(command_name("[ -x /a/b ] && if [ ! -d /run ]; then /a/b; fi"), "b");
  EXPECT_EQ(command_name("command -v debian-sa1 > /dev/null && debian-sa1 1 1"), "debian-sa1");
}

TEST(CommandName, StepsOverWrappersAndAssignments) {
  EXPECT_EQ(command_name("A=1 B='x y' nice -n 10 ionice -c3 rotate"), "rotate");
  EXPECT_EQ(command_name("if true; then nice -n10 /usr/sbin/logcheck -R; fi"), "logcheck");
}

TEST(CommandName, AnInterpreterIsNamedAfterItsScript) {
  EXPECT_EQ(command_name("php /usr/share/cacti/site/poller.php 2>&1 >/dev/null"), "poller.php");
  EXPECT_EQ(command_name("perl -e 'sleep 5' && certbot -q renew"), "certbot");
}

TEST(CommandName, QuotedOperatorsSplitNothing) {
  EXPECT_EQ(command_name("echo 'a && b; c' | mail"), "a-b-c");
}

TEST(CommandName, HasAnAnswerForEverything) {
  for (const char* text : {"", "   ", "&&", "'", "[ -x a ]", "sh -c", "...", "\xff\xfe", "A=1"}) {
    EXPECT_FALSE(command_name(text).empty()) << text;
  }
  EXPECT_LE(command_name(std::string(10'000, 'a')).size(), kMaxCommandNameBytes);
}

TEST(Slug, KeepsWhatANameMayHave) {
  EXPECT_EQ(slug("Über/Foo  Bar!"), "ber-foo-bar");
  EXPECT_EQ(slug("--..--"), "");
}

TEST(UniqueNames, AreUsedOnce) {
  UniqueNames names;
  EXPECT_EQ(names.take("a"), "a");
  EXPECT_EQ(names.take("a-2"), "a-2");
  EXPECT_EQ(names.take("a"), "a-3");
  EXPECT_EQ(names.take("a"), "a-4");
  EXPECT_EQ(names.take("a-2"), "a-2-2");
  EXPECT_EQ(names.take("b"), "b");
}

}  // namespace
}  // namespace escapement::apps
