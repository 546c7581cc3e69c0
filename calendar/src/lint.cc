#include "bits.h"
#include "civil.h"
#include "escapement/calendar/describe.h"
#include "fire.h"
#include "words.h"

namespace escapement::calendar {
namespace {

constexpr std::uint32_t kAllDays = 0xFFFFFFFE;
constexpr std::uint8_t kAllWeekdays = 0x7F;
constexpr std::uint32_t kFebruary = 1 << 2;
constexpr std::uint32_t kMonthsOf31 =
    1 << 1 | 1 << 3 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 10 | 1 << 12;

using Warnings = std::vector<std::string>;

std::string clock_of(std::int64_t local) {
  const Civil civil = to_civil(std::chrono::local_seconds{std::chrono::seconds{local}});
  return clock_text({civil.hour, civil.minute, civil.second}, civil.second != 0);
}

std::string date_of(std::int64_t local) {
  const Civil civil = to_civil(std::chrono::local_seconds{std::chrono::seconds{local}});
  return std::to_string(civil.year) + "-" + two_digits(civil.month) + "-" + two_digits(civil.day);
}

// The first nominal time in [from, to), in local seconds.
std::optional<std::int64_t> nominal_between(const Rule& rule, std::int64_t from, std::int64_t to) {
  Work work;
  const std::int64_t year = date_from_days(floor_div(to, kDaySeconds)).year;
  const std::int64_t found = first_nominal(rule, from, year, work);
  if (found == kNoTime || found >= to) return std::nullopt;
  return found;
}

std::string gap_warning(const Cron& cron, const Stretch& stretch, std::int64_t missed) {
  const std::int64_t start = stretch.from + stretch.offset_before;
  const std::int64_t end = stretch.from + stretch.offset;
  const std::string text = clock_of(missed) + " does not exist on " + date_of(missed) + " in " +
                           cron.zone().name() + ", where the clocks go forward from ";
  if (end - start < kMaxMadeUpGap) {
    return text + clock_of(start) + " to " + clock_of(end) + ": it fires at " + clock_of(end) +
           " instead";
  }
  return text + date_of(start) + " " + clock_of(start) + " to " + date_of(end) + " " +
         clock_of(end) + ": nothing fires in its place, because the gap is 3 hours or longer";
}

std::string overlap_warning(const Cron& cron, const Stretch& stretch, std::int64_t repeated) {
  return clock_of(repeated) + " happens twice on " + date_of(repeated) + " in " +
         cron.zone().name() + ", where the clocks go back from " +
         clock_of(stretch.from + stretch.offset_before) + " to " +
         clock_of(stretch.from + stretch.offset) + ": it fires only the first time";
}

// The first gap and the first overlap that a fixed time meets.
void warn_of_transitions(const Cron& cron, std::int64_t now, Warnings& warnings) {
  if (!cron.fixed()) return;
  bool gap = false;
  bool overlap = false;
  const std::int64_t until = now + std::int64_t{kLintYears} * 366 * kDaySeconds;
  Stretch stretch = cron.zone().stretch_at(now);
  while (stretch.to < until && !(gap && overlap)) {
    stretch = cron.zone().stretch_at(stretch.to);
    const bool forward = stretch.offset > stretch.offset_before;
    const std::int64_t before = stretch.from + stretch.offset_before;
    const std::int64_t after = stretch.from + stretch.offset;
    if (forward ? gap : overlap) continue;
    const auto hit =
        nominal_between(cron.rule(), forward ? before : after, forward ? after : before);
    if (!hit) continue;
    (forward ? gap : overlap) = true;
    warnings.push_back(forward ? gap_warning(cron, stretch, *hit)
                               : overlap_warning(cron, stretch, *hit));
  }
}

// True if a warning was added: then nothing else matters.
bool warn_of_never(const Cron& cron, Instant now, Warnings& warnings) {
  if (cron.next(now)) return false;
  const Rule& rule = cron.rule();
  if (rule.possible) {
    warnings.push_back(cron.previous(now) ? "it never fires again: all of its dates are past"
                                          : "it never fires: no day has such a date and time");
  } else if (std::has_single_bit(rule.days.days) && std::has_single_bit(rule.months)) {
    warnings.push_back("it never fires: " + std::to_string(lowest_bit(rule.days.days)) + " " +
                       month_name(lowest_bit(rule.months)) + " does not exist" +
                       (rule.days.weekdays == kAllWeekdays ? "" : " on such a weekday"));
  } else {
    warnings.push_back("it never fires: no month has such a day");
  }
  return true;
}

void warn_of_both_day_fields(const Cron& cron, Warnings& warnings) {
  const DayRule& days = cron.rule().days;
  const bool day = days.days != kAllDays;
  const bool weekday = days.weekdays != kAllWeekdays;
  if (!day || !weekday) return;
  if (days.either) {
    warnings.push_back(
        "day of month and day of week are both restricted: it fires when either matches");
  } else if (cron.dialect() == Dialect::kQuartz) {
    warnings.push_back(
        "day of month and day of week are both restricted: it fires only when both match");
  } else {
    warnings.push_back(
        "a day field that begins with * counts as unrestricted, so day of month and day of week "
        "must both match, as in cronie");
  }
}

// Plain days only: those beyond a month's end are left out there.
void warn_of_short_months(const Cron& cron, Warnings& warnings) {
  const Rule& rule = cron.rule();
  const std::uint32_t plain = rule.days.days | rule.days.nearest;
  if (plain == 0 || rule.days.either || rule.days.from_end != 0) return;
  const int first = lowest_bit(plain);
  if (first < 29 || rule.days.nearest_from_end != 0) return;
  if (rule.months == kFebruary) {
    warnings.push_back("29 February exists only in leap years: it fires every fourth year at most");
  } else if (first == 31 && (rule.months & ~kMonthsOf31) != 0) {
    warnings.push_back("months without a day 31 are left out");
  } else if (first < 31 && (rule.months & kFebruary) != 0) {
    warnings.push_back(first == 30
                           ? "February has no day 30 and is left out"
                           : "February has a day 29 only in leap years, else it is left out");
  }
}

}  // namespace

std::vector<std::string> lint(const Cron& cron, Instant now) {
  Warnings warnings;
  if (cron.every() || warn_of_never(cron, now, warnings)) return warnings;
  warn_of_both_day_fields(cron, warnings);
  warn_of_short_months(cron, warnings);
  warn_of_transitions(cron, floor_div(to_micros(now), 1'000'000), warnings);
  return warnings;
}

}  // namespace escapement::calendar
