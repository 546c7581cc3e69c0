#include "escapement/timers/wheel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace escapement::timers {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::size_t kAll = SIZE_MAX;
constexpr Tick kSecond = 1000;

/// One advance; the payloads that expired.
std::vector<std::uint64_t> expire(Wheel<>& wheel, Tick now, std::size_t limit = kAll) {
  std::vector<Wheel<>::Expired> out;
  const AdvanceResult result = wheel.advance(now, limit, out);
  EXPECT_EQ(result.expired, out.size());
  std::vector<std::uint64_t> payloads;
  for (const auto& expired : out) {
    EXPECT_LE(expired.deadline, now) << "expired early";
    payloads.push_back(expired.payload);
  }
  wheel.check_invariants();
  return payloads;
}

/// Sleeps to next_expiry until the wheel is empty; the number of wake-ups.
int wakeups_until_empty(Wheel<>& wheel) {
  int wakeups = 0;
  std::vector<Wheel<>::Expired> out;
  while (const auto next = wheel.next_expiry()) {
    wheel.advance(std::max(*next, wheel.now()), kAll, out);
    ++wakeups;
  }
  return wakeups;
}

TEST(Wheel, ExpiresOnTheExactTickAndNeverEarly) {
  Wheel<> wheel(1000);
  wheel.schedule(1500, 7);
  EXPECT_THAT(expire(wheel, 1499), IsEmpty());
  EXPECT_THAT(expire(wheel, 1500), ElementsAre(7));
  EXPECT_TRUE(wheel.empty());
  EXPECT_EQ(wheel.now(), 1500U);
}

TEST(Wheel, ExpiresInDeadlineOrderAndFirstInFirstOutWithinATick) {
  Wheel<> wheel;
  wheel.schedule(90, 1);
  wheel.schedule(5000, 2);
  wheel.schedule(5, 3);
  wheel.schedule(90, 4);
  wheel.schedule(5, 5);
  EXPECT_THAT(expire(wheel, 100000), ElementsAre(3, 5, 1, 4, 2));
}

TEST(Wheel, KeepsOrderWithinATickForTimersScheduledFarAndNear) {
  Wheel<> wheel;
  wheel.schedule(5000, 1);
  EXPECT_THAT(expire(wheel, 4500), IsEmpty());
  wheel.schedule(5000, 2);
  EXPECT_THAT(expire(wheel, 4999), IsEmpty());
  wheel.schedule(5000, 3);
  EXPECT_THAT(expire(wheel, 5000), ElementsAre(1, 2, 3));
}

TEST(Wheel, APastDeadlineExpiresInTheNextAdvanceBehindWhatWasDue) {
  Wheel<> wheel(100);
  wheel.schedule(100, 1);
  EXPECT_TRUE(wheel.schedule(40, 2).handle != Handle{});
  wheel.schedule(30, 3);
  EXPECT_EQ(wheel.size(), 3U);
  std::vector<Wheel<>::Expired> out;
  wheel.advance(100, kAll, out);
  ASSERT_EQ(out.size(), 3U);
  EXPECT_EQ(out[0].payload, 1U);
  EXPECT_EQ(out[1].payload, 2U);
  EXPECT_EQ(out[1].deadline, 40U) << "as asked for, so that lateness can be told";
  EXPECT_EQ(out[2].payload, 3U);
}

TEST(Wheel, SaysWhenATimerIsTheEarliest) {
  Wheel<> wheel;
  const ScheduleResult first = wheel.schedule(1000, 0);
  EXPECT_TRUE(first.earliest);
  EXPECT_FALSE(wheel.schedule(1000, 0).earliest);
  EXPECT_FALSE(wheel.schedule(70000, 0).earliest);
  EXPECT_TRUE(wheel.schedule(999, 0).earliest);
  EXPECT_EQ(wheel.next_expiry(), 999U);
}

TEST(Wheel, CancelsExactlyOnce) {
  Wheel<> wheel;
  const Handle handle = wheel.schedule(500, 9).handle;
  EXPECT_TRUE(wheel.contains(handle));
  EXPECT_TRUE(wheel.cancel(handle));
  EXPECT_FALSE(wheel.cancel(handle));
  EXPECT_FALSE(wheel.contains(handle));
  EXPECT_EQ(wheel.next_expiry(), std::nullopt);
  EXPECT_THAT(expire(wheel, 1000), IsEmpty());
}

TEST(Wheel, TellsDeadlineAndPayloadOfPendingTimersOnly) {
  Wheel<> wheel;
  const Handle handle = wheel.schedule(500, 9).handle;
  EXPECT_EQ(wheel.deadline(handle), 500U);
  *wheel.payload(handle) = 10;
  EXPECT_EQ(wheel.take(handle), 10U);
  EXPECT_EQ(wheel.take(handle), std::nullopt);
  EXPECT_EQ(wheel.deadline(handle), std::nullopt);
  EXPECT_EQ(wheel.payload(handle), nullptr);
}

TEST(Wheel, ReschedulesUnderTheSameHandleAndGoesBehindItsTick) {
  Wheel<> wheel;
  const Handle moved = wheel.schedule(10, 1).handle;
  wheel.schedule(700, 2);
  EXPECT_TRUE(wheel.reschedule(moved, 700));
  EXPECT_EQ(wheel.next_expiry(), 700U);
  EXPECT_EQ(wheel.deadline(moved), 700U);
  EXPECT_THAT(expire(wheel, 700), ElementsAre(2, 1));
  EXPECT_FALSE(wheel.reschedule(moved, 900));
}

TEST(Wheel, AHandleStaysDeadWhenItsRecordServesAnotherTimer) {
  Wheel<> wheel;
  const Handle dead = wheel.schedule(1, 1).handle;
  expire(wheel, 1);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const Handle other = wheel.schedule(1000, i).handle;
    ASSERT_NE(other, dead);
    ASSERT_FALSE(wheel.cancel(dead));
    ASSERT_TRUE(wheel.cancel(other));
  }
  EXPECT_FALSE(wheel.contains(Handle{}));
  EXPECT_FALSE(wheel.contains(Handle{4000000000U, 1}));
}

TEST(Wheel, AHandleStaysDeadAfterItsMemoryWasGivenBack) {
  Wheel<> wheel;
  std::vector<Handle> dead;
  for (int i = 0; i < 2000; ++i) dead.push_back(wheel.schedule(5, 0).handle);
  for (const Handle handle : dead) ASSERT_TRUE(wheel.cancel(handle));
  for (const Handle handle : dead) ASSERT_FALSE(wheel.contains(handle));
  for (int i = 0; i < 2000; ++i) wheel.schedule(5, 0);
  for (const Handle handle : dead) ASSERT_FALSE(wheel.cancel(handle));
  EXPECT_EQ(wheel.size(), 2000U);
  wheel.check_invariants();
}

TEST(Wheel, TheLastTickIsARealDeadline) {
  Wheel<> wheel(12345);
  wheel.schedule(UINT64_MAX, 2);
  wheel.schedule(UINT64_MAX - 1, 1);
  EXPECT_EQ(wheel.next_expiry(), UINT64_MAX - 1);
  EXPECT_THAT(expire(wheel, UINT64_MAX - 2), IsEmpty());
  EXPECT_THAT(expire(wheel, UINT64_MAX - 1), ElementsAre(1));
  EXPECT_THAT(expire(wheel, UINT64_MAX), ElementsAre(2));
  EXPECT_TRUE(wheel.schedule(UINT64_MAX, 3).earliest);
  EXPECT_THAT(expire(wheel, UINT64_MAX), ElementsAre(3));
}

TEST(Wheel, EveryPowerOfTwoExpiresOnItsTick) {
  Wheel<> wheel;
  for (int bit = 0; bit < 64; ++bit) wheel.schedule(Tick{1} << bit, std::uint64_t(bit));
  for (std::uint64_t bit = 0; bit < 64; ++bit) {
    const Tick due = Tick{1} << bit;
    if (bit > 0) {
      EXPECT_THAT(expire(wheel, due - 1), IsEmpty());
    }
    EXPECT_THAT(expire(wheel, due), ElementsAre(bit));
  }
}

TEST(Wheel, TheLimitLeavesTheRestInOrder) {
  Wheel<> wheel;
  for (std::uint64_t i = 0; i < 5; ++i) wheel.schedule(10 + i / 2, i);
  std::vector<Wheel<>::Expired> out;
  EXPECT_TRUE(wheel.advance(100, 0, out).more);
  EXPECT_THAT(expire(wheel, 100, 3), ElementsAre(0, 1, 2));
  EXPECT_LE(wheel.next_expiry(), 100U);
  wheel.schedule(50, 9);
  EXPECT_THAT(expire(wheel, 100, 3), ElementsAre(3, 4, 9));
  EXPECT_FALSE(wheel.advance(100, 3, out).more);
}

TEST(Wheel, CancelAndRescheduleWorkBetweenCallsOfOneAdvance) {
  Wheel<> wheel;
  wheel.schedule(10, 1);
  const Handle second = wheel.schedule(10, 2).handle;
  const Handle third = wheel.schedule(10, 3).handle;
  wheel.schedule(11, 4);
  EXPECT_THAT(expire(wheel, 20, 1), ElementsAre(1));
  EXPECT_TRUE(wheel.cancel(second));
  EXPECT_TRUE(wheel.reschedule(third, 25));
  EXPECT_THAT(expire(wheel, 20), ElementsAre(4));
  EXPECT_THAT(expire(wheel, 25), ElementsAre(3));
}

// The example of wheel.h.
TEST(WheelExample, AHalfCascadedSlotKeepsOrderAndNextExpiry) {
  constexpr std::uint64_t kA = 1, kB = 2, kC = 3, kD = 4, kE = 5, kF = 6;
  Wheel<> wheel(0, {.cascade_limit = 1});
  wheel.schedule(5, kA);
  wheel.schedule(70, kB);
  wheel.schedule(100, kC);
  wheel.schedule(70, kE);
  wheel.schedule(130, kD);
  EXPECT_EQ(wheel.next_expiry(), 5U);
  EXPECT_THAT(expire(wheel, 5), ElementsAre(kA));
  EXPECT_EQ(wheel.next_expiry(), 70U);

  std::vector<Wheel<>::Expired> out;
  const AdvanceResult half = wheel.advance(70, kAll, out);
  EXPECT_EQ(half.expired, 0U);
  EXPECT_EQ(half.touched, 1U);
  EXPECT_TRUE(half.more);
  EXPECT_EQ(wheel.next_expiry(), 70U);
  EXPECT_FALSE(wheel.schedule(70, kF).earliest);

  EXPECT_THAT(expire(wheel, 70), IsEmpty());
  EXPECT_THAT(expire(wheel, 70), IsEmpty());
  EXPECT_THAT(expire(wheel, 70), ElementsAre(kB, kE, kF));
  EXPECT_EQ(wheel.next_expiry(), 100U);
  EXPECT_THAT(expire(wheel, 100), ElementsAre(kC));
  EXPECT_THAT(expire(wheel, 130), ElementsAre(kD));
}

// 5000 ticks of 100 ms: the third level holds them in slot 1 [4096, 8192), the second in slot 14
// [4992, 5056), the first in slot 8.
TEST(WheelExample, FiveHundredSecondsCascadeFromTheThirdLevelToTheSecondToTheFirst) {
  Wheel<> wheel;
  std::vector<Wheel<>::Expired> out;
  wheel.schedule(5000, 1);
  EXPECT_EQ(wheel.advance(4095, kAll, out).touched, 0U);
  EXPECT_EQ(wheel.advance(4096, kAll, out).touched, 1U) << "third to second";
  EXPECT_EQ(wheel.advance(4991, kAll, out).touched, 0U);
  EXPECT_EQ(wheel.advance(4992, kAll, out).touched, 1U) << "second to first";
  EXPECT_EQ(wheel.advance(4999, kAll, out).touched, 0U);
  EXPECT_EQ(wheel.advance(5000, kAll, out).expired, 1U);
}

TEST(WheelExample, OneTimerFiveHundredSecondsOutCostsOneWakeup) {
  Wheel<> wheel(123456789);
  wheel.schedule(123456789 + 500 * kSecond, 1);
  EXPECT_EQ(wakeups_until_empty(wheel), 1);
  EXPECT_EQ(wheel.now(), 123456789 + 500 * kSecond);
}

TEST(WheelExample, AnIdleWheelAsksForNoWakeup) {
  Wheel<> wheel;
  EXPECT_EQ(wheel.next_expiry(), std::nullopt);
  wheel.cancel(wheel.schedule(500 * kSecond, 1).handle);
  EXPECT_EQ(wheel.next_expiry(), std::nullopt);
}

TEST(WheelExample, TenYearsOutExpiresOnTheExactTickAndTakesNoMoreMemory) {
  constexpr Tick kTenYearsInNanoseconds = 10ULL * 366 * 86400 * 1000000000;
  Wheel<> near;
  Wheel<> far;
  near.schedule(1, 1);
  far.schedule(kTenYearsInNanoseconds, 1);
  EXPECT_EQ(near.memory_bytes(), far.memory_bytes());
  EXPECT_EQ(far.next_expiry(), kTenYearsInNanoseconds);
  EXPECT_THAT(expire(far, kTenYearsInNanoseconds - 1), IsEmpty());
  EXPECT_THAT(expire(far, kTenYearsInNanoseconds), ElementsAre(1));
}

// A wheel that lags 8 ms at tick 12 over tasks due at 14, 20 and 22.
TEST(WheelExample, ALaggingWheelRunsWhatIsDueAndLosesNone) {
  Wheel<> wheel(12);
  for (const Tick due : {14, 20, 22}) wheel.schedule(due, due);
  EXPECT_THAT(expire(wheel, 20), ElementsAre(14, 20));
  EXPECT_THAT(expire(wheel, 21), IsEmpty());
  EXPECT_THAT(expire(wheel, 22), ElementsAre(22));
}

TEST(WheelBound, AMillionTimersInOneSlotAreMovedAndExpiredInBoundedSteps) {
  constexpr std::size_t kTimers = 1000000;
  constexpr std::size_t kLimit = 500;
  constexpr std::size_t kMoves = WheelOptions{}.cascade_limit;
  Wheel<> wheel;
  std::mt19937_64 random(1);
  for (std::uint64_t i = 0; i < kTimers; ++i) wheel.schedule((1 << 24) + random() % 4096, i);
  std::vector<Wheel<>::Expired> out;
  std::size_t worst = 0;
  std::size_t calls = 0;
  for (bool more = true; more; ++calls) {
    const AdvanceResult result = wheel.advance(1 << 25, kLimit, out);
    worst = std::max(worst, result.touched);
    more = result.more;
  }
  EXPECT_LE(worst, kLimit + kMoves);
  EXPECT_EQ(out.size(), kTimers);
  EXPECT_LE(calls, kTimers / kLimit + 2 * kTimers / kMoves + 2) << "each timer moves twice";
  EXPECT_TRUE(std::is_sorted(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.deadline != b.deadline ? a.deadline < b.deadline : a.payload < b.payload;
  }));
}

// The last slot above level 0 is entered 32 ticks ahead: 32 advances move 50 timers each.
TEST(WheelBound, TimersMoveDownBeforeTheyAreDue) {
  constexpr Tick kDue = 4096 + 4000;
  Wheel<> wheel(0, {.cascade_limit = 50});
  for (std::uint64_t i = 0; i < 1000; ++i) wheel.schedule(kDue, i);
  std::vector<Wheel<>::Expired> out;
  for (Tick now = 4000; now < kDue; ++now) EXPECT_FALSE(wheel.advance(now, kAll, out).more);
  const AdvanceResult at_due = wheel.advance(kDue, kAll, out);
  EXPECT_EQ(at_due.expired, 1000U);
  EXPECT_EQ(at_due.touched, 1000U) << "nothing was left to move";
}

TEST(WheelBound, AJumpOverEmptyTimeTouchesNothing) {
  Wheel<> wheel;
  wheel.schedule(UINT64_MAX, 1);
  std::vector<Wheel<>::Expired> out;
  const AdvanceResult result = wheel.advance(UINT64_MAX / 2, kAll, out);
  EXPECT_EQ(result.touched, 0U);
  EXPECT_FALSE(result.more);
}

// The one case in which next_expiry is a lower bound: it costs one wake-up, whatever is cancelled.
TEST(WheelBound, ACancelledEarliestInACrowdedSlotCostsOneWakeup) {
  Wheel<> wheel;
  std::vector<Handle> early;
  for (Tick i = 0; i < 100; ++i) early.push_back(wheel.schedule(5000 + i, i).handle);
  for (Tick i = 0; i < 100; ++i) wheel.schedule(8000, i);
  for (const Handle handle : early) wheel.cancel(handle);
  EXPECT_EQ(wheel.next_expiry(), 5000U) << "the bound that the first one left";
  EXPECT_THAT(expire(wheel, 5000), IsEmpty());
  EXPECT_EQ(wheel.next_expiry(), 8000U);
  EXPECT_EQ(wakeups_until_empty(wheel), 1);
}

TEST(WheelBound, ACancelledEarliestInASmallSlotLeavesTheExactNextExpiry) {
  Wheel<> wheel;
  const Handle early = wheel.schedule(5000, 0).handle;
  for (std::size_t i = 0; i < Wheel<>::kRescanLimit; ++i) wheel.schedule(8000 - i, i);
  wheel.cancel(early);
  EXPECT_EQ(wheel.next_expiry(), 8001 - Wheel<>::kRescanLimit);
  EXPECT_TRUE(wheel.schedule(6000, 0).earliest) << "agrees with what next_expiry has said";
}

TEST(WheelBound, MemoryIsNearItsBaseAfterAMillionCancels) {
  Wheel<> wheel;
  const std::size_t base = wheel.memory_bytes();
  std::mt19937_64 random(1);
  std::vector<Handle> handles;
  for (int i = 0; i < 1000000; ++i) handles.push_back(wheel.schedule(random(), 0).handle);
  EXPECT_LE(wheel.memory_bytes(), base + std::size_t{48} * 1000000);
  std::shuffle(handles.begin(), handles.end(), random);
  for (const Handle handle : handles) ASSERT_TRUE(wheel.cancel(handle));
  wheel.check_invariants();
  EXPECT_TRUE(wheel.empty());
  EXPECT_LE(wheel.memory_bytes(), base + 512 * 1024) << "the chunk table and one spare chunk";
}

TEST(WheelPayload, MovableOnlyPayloadsComeOutAndLeaveNothingBehind) {
  std::vector<ExpiredTimer<std::unique_ptr<std::string>>> out;
  {
    Wheel<std::unique_ptr<std::string>> wheel;
    wheel.schedule(1, std::make_unique<std::string>("expired"));
    const Handle taken = wheel.schedule(2, std::make_unique<std::string>("taken")).handle;
    const Handle gone = wheel.schedule(3, std::make_unique<std::string>("cancelled")).handle;
    wheel.schedule(9999, std::make_unique<std::string>("destroyed with the wheel"));
    EXPECT_EQ(*wheel.take(taken).value(), "taken");
    EXPECT_TRUE(wheel.cancel(gone));
    wheel.advance(10, kAll, out);
  }
  ASSERT_EQ(out.size(), 1U);
  EXPECT_EQ(*out[0].payload, "expired");
}

TEST(WheelPayload, ACancelledPayloadIsDestroyedAtOnce) {
  Wheel<std::shared_ptr<int>> wheel;
  const auto payload = std::make_shared<int>(1);
  const Handle handle = wheel.schedule(10, payload).handle;
  EXPECT_EQ(payload.use_count(), 2);
  wheel.cancel(handle);
  EXPECT_EQ(payload.use_count(), 1);
}

TEST(WheelDeathTest, TimeNeverGoesBack) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Wheel<> wheel(10);
  std::vector<Wheel<>::Expired> out;
  EXPECT_DEATH(wheel.advance(9, kAll, out), "CHECK failed: now >= now_");
}

TEST(WheelDeathTest, ACascadeLimitOfZeroIsRefused) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Wheel<>(0, {.cascade_limit = 0}), "cascade_limit");
}

}  // namespace
}  // namespace escapement::timers
