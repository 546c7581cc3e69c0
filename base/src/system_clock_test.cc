#include <gtest/gtest.h>
#include <sys/prctl.h>

#include <atomic>
#include <future>
#include <thread>

#include "escapement/base/clock.h"

namespace escapement {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

constexpr Duration kLongWait = std::chrono::hours{1};

// Waits until the deadline has really come; a wait may end for no reason.
Now wait_for_elapsed(Clock& clock, Elapsed at) {
  for (;;) {
    const Now now = clock.now();
    if (now.elapsed >= at) return now;
    clock.wait_until({.elapsed = at});
  }
}

TEST(SystemClock, BothClocksGoForward) {
  const auto clock = make_system_clock();
  const Now before = clock->now();
  const Now after = wait_for_elapsed(*clock, before.elapsed + milliseconds{2});
  EXPECT_GT(after.elapsed, before.elapsed);
  EXPECT_GT(before.wall, *parse_instant("2024-01-01T00:00:00Z"));
}

TEST(SystemClock, EndsAWaitWhenTheElapsedDeadlineComes) {
  const auto clock = make_system_clock();
  const Elapsed at = clock->now().elapsed + milliseconds{5};
  clock->wait_until({.elapsed = at});
  EXPECT_GE(clock->now().elapsed, at);
}

TEST(SystemClock, EndsAWaitWhenTheWallDeadlineComes) {
  const auto clock = make_system_clock();
  const Instant at = clock->now().wall + milliseconds{5};
  clock->wait_until({.wall = at});
  EXPECT_GE(clock->now().wall, at);
}

TEST(SystemClock, TheEarlierDeadlineWins) {
  const auto clock = make_system_clock();
  const Now start = clock->now();
  clock->wait_until({.wall = start.wall + kLongWait, .elapsed = start.elapsed + milliseconds{3}});
  clock->wait_until({.wall = start.wall + milliseconds{6}, .elapsed = start.elapsed + kLongWait});
  EXPECT_LT(clock->now().elapsed, start.elapsed + kLongWait);
}

TEST(SystemClock, ADeadlineInThePastReturnsAtOnce) {
  const auto clock = make_system_clock();
  clock->wait_until({.wall = clock->now().wall - kLongWait});
  clock->wait_until({.elapsed = Elapsed{}});
  clock->wait_until({.elapsed = Elapsed::min()});
  clock->wait_until({.wall = Instant::min()});
  clock->wait_until({.wall = from_micros(0)});
}

TEST(SystemClock, AWakeBeforeTheWaitEndsIt) {
  const auto clock = make_system_clock();
  clock->wake();
  clock->wake();
  clock->wait_until({});
  EXPECT_GT(clock->now().wall, from_micros(0));
}

TEST(SystemClock, OneWakeEndsOnlyOneWait) {
  const auto clock = make_system_clock();
  clock->wake();
  clock->wait_until({});
  const Elapsed at = clock->now().elapsed + milliseconds{5};
  clock->wait_until({.elapsed = at});
  EXPECT_GE(clock->now().elapsed, at);
}

TEST(SystemClock, AnotherThreadEndsAWaitWithoutDeadline) {
  const auto clock = make_system_clock();
  std::promise<void> waiting;
  std::atomic<bool> stop = false;
  std::thread waiter([&] {
    waiting.set_value();
    while (!stop.load()) clock->wait_until({});
  });
  waiting.get_future().wait();
  stop.store(true);
  clock->wake();
  waiter.join();
}

TEST(SystemClock, NoWakeIsLostWhenManyThreadsWake) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 2'000;
  const auto clock = make_system_clock();
  std::atomic<int> posted = 0;
  std::vector<std::thread> wakers;
  for (int i = 0; i < kThreads; ++i) {
    wakers.emplace_back([&] {
      for (int round = 0; round < kRounds; ++round) {
        posted.fetch_add(1);
        clock->wake();
      }
    });
  }
  while (posted.load() < kThreads * kRounds) clock->wait_until({});
  for (std::thread& waker : wakers) waker.join();
}

TEST(SystemClock, TheOffsetShiftsTheWallAloneAndItsDeadlinesToo) {
  const auto plain = make_system_clock();
  const auto shifted = make_system_clock(hours{24 * 365});
  const Now before = plain->now();
  const Now ahead = shifted->now();
  EXPECT_GE(ahead.wall - before.wall, hours{24 * 365});
  EXPECT_LT(ahead.wall - before.wall, hours{24 * 365 + 1});
  EXPECT_LT(ahead.elapsed - before.elapsed, hours{1});

  const Instant at = ahead.wall + milliseconds{5};
  shifted->wait_until({.wall = at});
  EXPECT_GE(shifted->now().wall, at);
}

TEST(SystemClock, TheWaitingThreadGetsTheSmallestTimerSlack) {
  const auto clock = make_system_clock();
  int slack = 0;
  std::thread([&] {
    clock->wake();
    clock->wait_until({});
    slack = ::prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  }).join();
  EXPECT_EQ(slack, 1);
}

}  // namespace
}  // namespace escapement
