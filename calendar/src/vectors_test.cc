// The shared vectors: what many schedulers agree on, and the rule where they do not.

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "escapement/base/json.h"
#include "escapement/calendar/cron.h"

namespace escapement::calendar {
namespace {

constexpr int kVectors = 410;

Instant instant_from(const std::string& text) {
  Civil civil;
  int offset_hours = 0;
  int offset_minutes = 0;
  char sign = '+';
  int year = 0;
  std::sscanf(text.c_str(), "%d-%d-%dT%d:%d:%d%c%d:%d", &year, &civil.month, &civil.day,
              &civil.hour, &civil.minute, &civil.second, &sign, &offset_hours, &offset_minutes);
  civil.year = year;
  const int offset = (sign == '-' ? -1 : 1) * (offset_hours * 3600 + offset_minutes * 60);
  const auto local = from_civil(civil).time_since_epoch();
  return Instant{Duration{local - std::chrono::seconds{offset}}};
}

std::vector<std::string> fires_of(const Cron& cron, Instant from, std::size_t count) {
  std::vector<std::string> fires;
  for (auto at = cron.next(from); at && fires.size() < count; at = cron.next(*at)) {
    fires.push_back(format_local(*at, cron.zone()));
  }
  return fires;
}

void check_vector(const nlohmann::json& vector) {
  SCOPED_TRACE(vector.dump());
  const auto zone = Zone::load(vector["tz"].get<std::string>());
  ASSERT_TRUE(zone.ok());
  const auto dialect = dialect_from_name(vector["dialect"].get<std::string>());
  ASSERT_TRUE(dialect.ok());
  const auto cron = Cron::parse(vector["expr"].get<std::string>(), *dialect, *zone);
  ASSERT_EQ(cron.ok(), !vector.contains("error"));
  if (!cron.ok()) return;
  const Instant from = instant_from(vector["from"].get<std::string>());
  if (vector.contains("none")) {
    EXPECT_FALSE(cron->next(from).has_value());
    return;
  }
  const auto expected = vector["next"].get<std::vector<std::string>>();
  const std::size_t count = expected.size() + (vector.contains("exhausted") ? 1 : 0);
  EXPECT_EQ(fires_of(*cron, from, count), expected);
  Instant at = instant_from(expected.back());
  for (std::size_t back = expected.size() - 1; back-- > 0;) {
    at = cron->previous(at).value_or(kNever);
    EXPECT_EQ(format_local(at, *zone), expected[back]) << "backward";
  }
}

TEST(CronVectors, AllPassForwardAndBackward) {
  std::ifstream file(CALENDAR_TESTDATA "/vectors.jsonl");
  ASSERT_TRUE(file.is_open());
  std::string line;
  int count = 0;
  while (std::getline(file, line)) {
    check_vector(nlohmann::json::parse(line));
    ++count;
  }
  EXPECT_EQ(count, kVectors);
}

}  // namespace
}  // namespace escapement::calendar
