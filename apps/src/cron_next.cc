#include <array>
#include <chrono>
#include <ostream>

#include "console.h"
#include "cron_verbs.h"

namespace escapement::apps {
namespace {

using calendar::Cron;
using calendar::Dialect;
using calendar::Zone;

Error at_field(Error error, std::string field) {
  error.code = ErrorCode::invalid;
  error.field = std::move(field);
  return error;
}

Result<Dialect> read_dialect(const CronOptions& options) {
  if (options.dialect.empty()) return calendar::guess_dialect(options.expression);
  return calendar::dialect_from_name(options.dialect);
}

}  // namespace

Result<Cron> read_cron(const CronOptions& options) {
  Result<Dialect> dialect = read_dialect(options);
  if (!dialect.ok()) return at_field(dialect.error(), "dialect");
  Result<Zone> zone = Zone::load(options.zone);
  if (!zone.ok()) return at_field(zone.error(), "tz");
  Result<Cron> cron = Cron::parse(options.expression, *dialect, *zone);
  if (!cron.ok()) return at_field(cron.error(), "expr");
  return cron;
}

Result<Instant> read_from(const CronOptions& options, Instant now) {
  if (options.from.empty()) return now;
  Result<Instant> from = parse_instant(options.from);
  if (!from.ok()) return at_field(from.error(), "from");
  return from;
}

Json next_fires(const Cron& cron, Instant from, std::int64_t count) {
  Json fires = Json::array();
  std::optional<Instant> at = cron.next(from);
  for (; at && count > 0; --count) {
    fires.push_back(calendar::format_local(*at, cron.zone()));
    at = count > 1 ? cron.next(*at) : std::nullopt;
  }
  return fires;
}

std::string fire_for_people(Instant at, Zone zone) {
  static constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed",
                                                         "Thu", "Fri", "Sat"};
  auto day = std::chrono::floor<std::chrono::days>(zone.to_local(at).time);
  std::string name(kDays[std::chrono::weekday(day).c_encoding()]);
  return name + ' ' + calendar::format_local(at, zone);
}

int cron_next(const CronOptions& options, Console& console) {
  if (options.batch) return cron_batch(console);
  if (options.count < 1 || options.count > kMaxCronCount) {
    return report_usage(console, "count: must be 1 to " + std::to_string(kMaxCronCount) + ", not " +
                                     std::to_string(options.count));
  }
  Result<Cron> cron = read_cron(options);
  if (!cron.ok()) return report(console, cron.error());
  Result<Instant> from = read_from(options, console.clock.now().wall);
  if (!from.ok()) return report(console, from.error());
  if (options.json) {
    console.out << dump_json(next_fires(*cron, *from, options.count)) << '\n';
    return kExitFine;
  }
  std::optional<Instant> at = cron->next(*from);
  if (!at) console.err << "escapement: it never fires after " << format_instant(*from) << '\n';
  for (std::int64_t left = options.count; at && left > 0; --left, at = cron->next(*at)) {
    console.out << fire_for_people(*at, cron->zone()) << '\n';
  }
  return kExitFine;
}

}  // namespace escapement::apps
