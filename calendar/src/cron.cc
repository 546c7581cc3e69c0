#include "escapement/calendar/cron.h"

#include <algorithm>

#include "civil.h"
#include "echo.h"
#include "fire.h"
#include "parse.h"

namespace escapement::calendar {
namespace {

constexpr std::int64_t kMicros = 1'000'000;

std::int64_t ceil_seconds(Instant at) {
  return to_micros(at) / kMicros + (to_micros(at) % kMicros > 0 ? 1 : 0);
}

std::optional<Instant> in_range(std::optional<std::int64_t> second) {
  if (!second || *second < kFirstFire || *second > kLastFire) return std::nullopt;
  return from_micros(*second * kMicros);
}

}  // namespace

std::string_view to_string(Dialect dialect) {
  return dialect == Dialect::kUnix ? "unix" : "quartz";
}

Result<Dialect> dialect_from_name(std::string_view name) {
  if (name == "unix") return Dialect::kUnix;
  if (name == "quartz") return Dialect::kQuartz;
  return invalid("", "dialect: " + echo(name) + " is unknown; allowed are unix and quartz");
}

Dialect guess_dialect(std::string_view expression) {
  return count_fields(expression) >= 6 && !expression.starts_with('@') ? Dialect::kQuartz
                                                                       : Dialect::kUnix;
}

Result<Cron> Cron::parse(std::string_view expression, Dialect dialect, Zone zone) {
  Rule rule;
  Error error;
  if (!parse_rule(expression, dialect, rule, error)) return error;
  return Cron(std::string(expression), dialect, zone, rule);
}

std::optional<Instant> Cron::next(Instant after) const {
  const std::int64_t second = floor_div(to_micros(after), kMicros);
  if (second >= kLastFire) return std::nullopt;
  if (const auto interval = every()) {
    return in_range(std::max(second, kFirstFire) + to_micros(Instant{*interval}) / kMicros);
  }
  Work work;
  return in_range(first_fire(rule_, zone_, std::max(second + 1, kFirstFire), work));
}

std::optional<Instant> Cron::previous(Instant before) const {
  const std::int64_t second = ceil_seconds(before);
  if (second <= kFirstFire) return std::nullopt;
  if (const auto interval = every()) {
    return in_range(std::min(second, kLastFire) - to_micros(Instant{*interval}) / kMicros);
  }
  Work work;
  return in_range(last_fire(rule_, zone_, std::min(second - 1, kLastFire), work));
}

std::optional<Duration> Cron::every() const {
  if (rule_.every == Duration::zero()) return std::nullopt;
  return rule_.every;
}

}  // namespace escapement::calendar
