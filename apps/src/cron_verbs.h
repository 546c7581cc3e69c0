// The verbs about cron expressions; they need no server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "escapement/apps/run_cli.h"
#include "escapement/base/json.h"
#include "escapement/calendar/cron.h"

namespace escapement::apps {

inline constexpr std::int64_t kDefaultCronCount = 5;
inline constexpr std::int64_t kMaxCronCount = 10'000;
inline constexpr std::size_t kMaxBatchLineBytes = 64 * 1024;

struct CronOptions {
  std::string expression;
  std::string dialect;  // "": guessed by the number of fields
  std::string zone = "UTC";
  std::string from;  // "": now
  std::int64_t count = kDefaultCronCount;
  bool json = false;
  bool batch = false;
};

// Reads expression, dialect and zone. The error's field is the option's name.
Result<calendar::Cron> read_cron(const CronOptions& options);

// `from` of the options, or now.
Result<Instant> read_from(const CronOptions& options, Instant now);

// Up to `count` fires after `from`, RFC 3339 with the zone's offset; fewer where no more exist.
Json next_fires(const calendar::Cron& cron, Instant from, std::int64_t count);

// "Sun 2026-03-29T03:00:00+02:00".
std::string fire_for_people(Instant at, calendar::Zone zone);

int cron_next(const CronOptions& options, Console& console);
// JSON Lines in, JSON Lines out, one answer for each line in the same order; a bad line is answered
// with {"error"} and does not end the batch. Fields that are not ours are ignored, so that a line
// may carry an id of its own.
int cron_batch(Console& console);
int cron_explain(const CronOptions& options, Console& console);
int cron_lint(const CronOptions& options, Console& console);

}  // namespace escapement::apps
