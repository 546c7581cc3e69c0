#include "escapement/base/result.h"

#include <gtest/gtest.h>

namespace escapement {
namespace {

TEST(ErrorCode, HasTheNameThatTheProtocolUses) {
  EXPECT_EQ(to_string(ErrorCode::invalid), "invalid");
  EXPECT_EQ(to_string(ErrorCode::not_found), "not_found");
  EXPECT_EQ(to_string(ErrorCode::conflict), "conflict");
  EXPECT_EQ(to_string(ErrorCode::fenced), "fenced");
  EXPECT_EQ(to_string(ErrorCode::busy), "busy");
  EXPECT_EQ(to_string(ErrorCode::full), "full");
  EXPECT_EQ(to_string(ErrorCode::unavailable), "unavailable");
  EXPECT_EQ(to_string(ErrorCode::unknown_outcome), "unknown_outcome");
  EXPECT_EQ(to_string(ErrorCode::denied), "denied");
}

TEST(Result, HoldsEitherTheValueOrTheError) {
  const Result<int> good = 7;
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(*good, 7);

  const Result<int> bad = invalid("schedule.cron", "no such minute");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ(bad.error().code, ErrorCode::invalid);
  EXPECT_EQ(bad.error().field, "schedule.cron");
}

TEST(ResultDeathTest, ReadingTheValueOfAFailureIsABug) {
  Result<int> bad = Error{ErrorCode::fenced, "term 3 is not current", ""};
  EXPECT_DEATH(bad.value(), "check failed");
}

TEST(ResultDeathTest, ReadingTheErrorOfASuccessIsABug) {
  EXPECT_DEATH(Result<int>(7).error(), "check failed");
  EXPECT_DEATH(Status().error(), "check failed");
}

}  // namespace
}  // namespace escapement
