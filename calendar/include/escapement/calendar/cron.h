// Cron: a cron expression in a time zone, and the instants at which it fires.
//
// Two dialects, never guessed inside the house: unix (five fields, the macros, @every) and quartz
// (six or seven fields, seconds first). An expression whose seconds, minutes or hours hold '*',
// '*/n' or 'a/n' is a wildcard and follows real time through daylight saving; any other is fixed
// and fires each nominal time once, see README.md.
//
// Costs: parse 0.2-0.5 us, next and previous some 50-100 ns, never above 20 us. A value; any
// thread.
//
//   Zone berlin = *Zone::load("Europe/Berlin");
//   Result<Cron> cron = Cron::parse("30 2 * * MON-FRI", Dialect::kUnix, berlin);
//   if (!cron.ok()) return cron.error();
//   std::optional<Instant> due = cron->next(now);  // nullopt: never again
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "escapement/base/result.h"
#include "escapement/base/time.h"
#include "escapement/calendar/rule.h"
#include "escapement/calendar/zone.h"

namespace escapement::calendar {

inline constexpr std::size_t kMaxExpressionBytes = 1024;
inline constexpr Duration kMaxEvery = std::chrono::hours{24 * 366};

enum class Dialect { kUnix, kQuartz };

std::string_view to_string(Dialect dialect);
// "unix" or "quartz". Error: `invalid`.
Result<Dialect> dialect_from_name(std::string_view name);
// By the number of fields: six or more are quartz. Only for the edge; store what it says.
Dialect guess_dialect(std::string_view expression);

class Cron {
 public:
  // Errors: `invalid`; one printable line that names the cron field, the value and what is allowed.
  // The error's `field` is left to the caller.
  static Result<Cron> parse(std::string_view expression, Dialect dialect, Zone zone);

  // The first fire strictly after, and the last strictly before an instant; whole seconds in the
  // years 0 to 9999. The two see the same fires. nullopt: there is none (unix repeats itself after
  // 400 years, quartz knows the years 1970 to 2099). `@every` has no anchor of its own: its next
  // fire is one interval after the instant's second; use `every` with a stored anchor.
  std::optional<Instant> next(Instant after) const;
  std::optional<Instant> previous(Instant before) const;

  // The interval of `@every`, whole seconds; nullopt for everything else.
  std::optional<Duration> every() const;

  const std::string& text() const { return text_; }
  Dialect dialect() const { return dialect_; }
  Zone zone() const { return zone_; }
  // Neither a wildcard nor `@every`.
  bool fixed() const { return !rule_.wildcard && rule_.every == Duration::zero(); }
  const Rule& rule() const { return rule_; }

 private:
  Cron(std::string text, Dialect dialect, Zone zone, const Rule& rule)
      : text_(std::move(text)), dialect_(dialect), zone_(zone), rule_(rule) {}

  std::string text_;
  Dialect dialect_;
  Zone zone_;
  Rule rule_;
};

}  // namespace escapement::calendar
