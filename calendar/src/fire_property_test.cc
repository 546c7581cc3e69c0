// Random expressions around every kind of transition, against stepping through real time.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "escapement/calendar/cron.h"
#include "naive_cron.h"
#include "system_zone.h"

namespace escapement::calendar {
namespace {

using naive::Expression;
using naive::pick;
using naive::Random;

constexpr int kWindows = 1'200;
constexpr int kExpressionsEach = 20;
constexpr int kQuestionsEach = 4;
constexpr std::int64_t kHalfWindow = 36 * 60;  // minutes
constexpr std::int64_t kMadeUpLimit = 180;     // minutes: longer gaps are not made up

struct Minute {
  std::int64_t utc = 0;
  naive::Face face;
  bool second_pass = false;
  std::vector<naive::Face> missed;  // the local minutes of a gap that ends here
};

struct Window {
  Zone zone;
  std::string name;
  std::int64_t middle = 0;
  std::vector<Minute> minutes;
};

Window make_window(const std::string& name, const naive::SystemZone& system, std::int64_t middle) {
  Window window{*Zone::load(name), name, middle, {}};
  std::unordered_set<std::int64_t> seen;
  std::optional<std::int64_t> previous;
  for (std::int64_t at = middle - kHalfWindow; at < middle + kHalfWindow; ++at) {
    const std::int64_t local = at + system.offset_at(at * 60) / 60;
    Minute minute{at, naive::face_of(local), !seen.insert(local).second, {}};
    const bool gap = previous && local > *previous + 1 && local - *previous - 1 < kMadeUpLimit;
    for (std::int64_t missed = gap ? *previous + 1 : local; missed < local; ++missed) {
      minute.missed.push_back(naive::face_of(missed));
    }
    previous = local;
    window.minutes.push_back(std::move(minute));
  }
  return window;
}

struct Place {
  std::string zone;
  std::int64_t minute = 0;
};

// Every change of offset in 1950-2080, and one quiet day.
void add_places(const std::string& name, std::vector<Place>& places) {
  constexpr std::int64_t kStep = 6 * 60;
  constexpr std::int64_t kFrom = -631152000 / 60;
  constexpr std::int64_t kTo = INT64_C(3471292800) / 60;
  const naive::SystemZone system(name);
  places.push_back({name, 28401120});
  for (std::int64_t at = kFrom; at < kTo; at += kStep) {
    if (system.offset_at(at * 60) == system.offset_at((at + kStep) * 60)) continue;
    if (system.offset_at(at * 60) % 60 == 0) places.push_back({name, at + kStep / 2});
  }
}

std::vector<std::int64_t> fires_in(const Expression& expression, const Window& window) {
  const naive::Matcher matcher(expression);
  std::set<std::int64_t> fires;
  for (const Minute& minute : window.minutes) {
    const auto nominal = [&](const naive::Face& face) { return matcher.matches(face); };
    if (!expression.wildcard && std::ranges::any_of(minute.missed, nominal)) {
      fires.insert(minute.utc * 60);
    }
    if (!nominal(minute.face) || (!expression.wildcard && minute.second_pass)) continue;
    for (const int second : expression.seconds) fires.insert(minute.utc * 60 + second);
  }
  return {fires.begin(), fires.end()};
}

// A place in the window, most often close to the transition or on a fire.
std::int64_t random_second(Random& random, const Window& window,
                           const std::vector<std::int64_t>& fires) {
  const std::int64_t from = window.minutes.front().utc * 60;
  const std::int64_t to = window.minutes.back().utc * 60;
  const int kind = pick(random, 0, 2);
  if (kind == 0) return from + pick(random, 0, static_cast<int>(to - from));
  if (kind == 1 && !fires.empty()) {
    return fires[static_cast<std::size_t>(pick(random, 0, static_cast<int>(fires.size()) - 1))] +
           pick(random, -1, 1);
  }
  return window.middle * 60 + pick(random, -18000, 18000);
}

void check_question(const Cron& cron, const Window& window, const std::vector<std::int64_t>& fires,
                    std::int64_t second) {
  const Instant at = from_micros(second * 1'000'000);
  const auto after = std::ranges::upper_bound(fires, second);
  const auto next = cron.next(at);
  const std::int64_t end = (window.minutes.back().utc + 1) * 60;
  if (after != fires.end()) {
    ASSERT_EQ(next.value_or(kNever), from_micros(*after * 1'000'000)) << "next of " << second;
  } else if (next) {
    ASSERT_GE(to_micros(*next), end * 1'000'000) << "next of " << second;
  }
  const auto before = std::ranges::lower_bound(fires, second);
  const auto previous = cron.previous(at);
  if (before != fires.begin()) {
    ASSERT_EQ(previous.value_or(kNever), from_micros(*std::prev(before) * 1'000'000))
        << "previous of " << second;
  } else if (previous) {
    ASSERT_LT(to_micros(*previous), window.minutes.front().utc * 60'000'000)
        << "previous of " << second;
  }
}

void check_expression(Random& random, const Window& window) {
  const Expression expression = naive::random_expression(random);
  SCOPED_TRACE(window.name + " " + expression.text);
  const auto cron = Cron::parse(expression.text, expression.dialect, window.zone);
  ASSERT_TRUE(cron.ok()) << cron.error().message;
  ASSERT_EQ(cron->fixed(), !expression.wildcard);
  const auto fires = fires_in(expression, window);
  for (int question = 0; question < kQuestionsEach; ++question) {
    check_question(*cron, window, fires, random_second(random, window, fires));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(FireProperty, NextAndPreviousAgreeWithSteppingThroughRealTime) {
  Random random(20240310);
  std::vector<Place> places;
  for (const char* name : naive::kTestZones) add_places(name, places);
  ASSERT_GT(places.size(), 1000U);
  for (int round = 0; round < kWindows; ++round) {
    const int chosen = pick(random, 0, static_cast<int>(places.size()) - 1);
    const Place& place = places[static_cast<std::size_t>(chosen)];
    const Window window = make_window(place.zone, naive::SystemZone(place.zone), place.minute);
    for (int each = 0; each < kExpressionsEach; ++each) {
      check_expression(random, window);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace escapement::calendar
