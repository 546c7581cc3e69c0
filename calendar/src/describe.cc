#include "escapement/calendar/describe.h"

#include <bit>

#include "bits.h"
#include "words.h"

namespace escapement::calendar {
namespace {

constexpr std::uint64_t kAllSixty = (std::uint64_t{1} << 60) - 1;
constexpr std::uint32_t kAllHours = (1U << 24) - 1;
constexpr std::uint32_t kAllMonths = 0x1FFE;
constexpr std::uint32_t kAllDays = 0xFFFFFFFE;
constexpr std::uint8_t kAllWeekdays = 0x7F;
constexpr int kMaxClockTimes = 6;  // more are told by hours and minutes

bool is_single(std::uint64_t mask) { return std::has_single_bit(mask); }

// n if the mask is 0, n, 2n ... and n divides `size` evenly, so that the rhythm never stumbles.
int even_step(std::uint64_t mask, int size) {
  if ((mask & 1) == 0) return 0;
  const int step = bit_at_or_above(mask, 1) < 0 ? size : bit_at_or_above(mask, 1);
  if (size % step != 0 || std::popcount(mask) != size / step) return 0;
  for (int value = 0; value < size; value += step) {
    if ((mask >> value & 1) == 0) return 0;
  }
  return step;
}

std::string number_name(int number) { return std::to_string(number); }

// "02:30", "02:30 and 14:30": when there are only a few times in a day.
std::string few_times(const Rule& rule) {
  const int times =
      std::popcount(rule.hours) * std::popcount(rule.minutes) * std::popcount(rule.seconds);
  if (times > kMaxClockTimes) return {};
  const bool with_seconds = rule.seconds != 1;
  std::vector<std::string> words;
  for (int at = 0; at < 24 * 60; ++at) {
    if ((rule.hours >> (at / 60) & 1) == 0 || (rule.minutes >> (at % 60) & 1) == 0) continue;
    for (int second = bit_at_or_above(rule.seconds, 0); second >= 0;
         second = bit_at_or_above(rule.seconds, second + 1)) {
      words.push_back(clock_text({at / 60, at % 60, second}, with_seconds));
    }
  }
  return "at " + join(words);
}

// " between 09:00 and 17:45", from the first to the last fire of the day; hours must be one run.
std::string hour_span(const Rule& rule) {
  if (rule.hours == kAllHours) return {};
  const int first = lowest_bit(rule.hours);
  const int last = highest_bit(rule.hours);
  const bool one_run = std::popcount(rule.hours) == last - first + 1;
  if (!one_run) {
    return " during the hours " + name_runs(rule.hours, two_digits);
  }
  const bool with_seconds = rule.seconds != 1;
  return " between " +
         clock_text({first, lowest_bit(rule.minutes), lowest_bit(rule.seconds)}, with_seconds) +
         " and " +
         clock_text({last, highest_bit(rule.minutes), highest_bit(rule.seconds)}, with_seconds);
}

std::string every_unit(int step, const std::string& unit) {
  return step == 1 ? "every " + unit : "every " + count_of(step, unit);
}

// Only seconds 0: minutes and hours decide.
std::string minutes_text(const Rule& rule) {
  const int minute_step = even_step(rule.minutes, 60);
  const int hour_step = even_step(rule.hours, 24);
  const int minute = lowest_bit(rule.minutes);
  if (is_single(rule.minutes) && hour_step > 0) {
    const std::string every = every_unit(hour_step, "hour");
    return minute == 0 ? every + (hour_step == 1 ? " on the hour" : "")
                       : every + " at " + count_of(minute, "minute") + " past the hour";
  }
  if (is_single(rule.minutes) && minute == 0) return "every hour on the hour" + hour_span(rule);
  if (!is_single(rule.minutes) && minute_step > 0) {
    return every_unit(minute_step, "minute") + hour_span(rule);
  }
  return "at " + std::string(is_single(rule.minutes) ? "minute " : "minutes ") +
         name_runs(rule.minutes, number_name) + " of every hour" + hour_span(rule);
}

std::string seconds_text(const Rule& rule) {
  const int step = even_step(rule.seconds, 60);
  if (step > 0 && step < 60) return every_unit(step, "second");
  return std::string(is_single(rule.seconds) ? "at second " : "at seconds ") +
         name_runs(rule.seconds, number_name);
}

std::string time_text(const Rule& rule) {
  if (const std::string few = few_times(rule); !few.empty()) return few;
  if (rule.seconds == 1) return minutes_text(rule);
  const std::string seconds = seconds_text(rule);
  if (rule.minutes == kAllSixty) {
    return seconds + (seconds.starts_with("every") ? "" : " of every minute") + hour_span(rule);
  }
  return seconds + std::string(is_single(rule.minutes) ? " of minute " : " of minutes ") +
         name_runs(rule.minutes, number_name) + " of every hour" + hour_span(rule);
}

void add_from_end(std::uint32_t from_end, bool nearest, std::vector<std::string>& words) {
  for (int days = bit_at_or_above(from_end, 0); days >= 0;
       days = bit_at_or_above(from_end, days + 1)) {
    if (days == 0) {
      words.push_back(nearest ? "the last weekday (Monday to Friday) of the month"
                              : "the last day of the month");
    } else {
      words.push_back(
          (nearest ? "the weekday (Monday to Friday) nearest to the day " : "the day ") +
          count_of(days, "day") + " before the last day of the month");
    }
  }
}

// "day 1 of the month", "the last day of the month or ..."
std::string month_days_text(const DayRule& rule) {
  std::vector<std::string> words;
  if (rule.days != 0) {
    words.push_back((is_single(rule.days) ? "day " : "days ") + name_runs(rule.days, number_name) +
                    " of the month");
  }
  for (int day = bit_at_or_above(rule.nearest, 0); day >= 0;
       day = bit_at_or_above(rule.nearest, day + 1)) {
    words.push_back("the weekday (Monday to Friday) nearest to day " + std::to_string(day) +
                    " of the month");
  }
  add_from_end(rule.from_end, false, words);
  add_from_end(rule.nearest_from_end, true, words);
  return join(words);
}

// Weeks begin on Monday in a sentence: bit 0 becomes bit 7.
std::string weekday_runs(std::uint8_t weekdays) {
  const std::uint64_t monday_first = (weekdays & ~1U) | (weekdays & 1U) << 7;
  return name_runs(monday_first, [](int weekday) { return weekday_name(weekday % 7); });
}

std::string weekdays_text(const DayRule& rule) {
  std::vector<std::string> words;
  if (rule.weekdays != 0) words.push_back(weekday_runs(rule.weekdays));
  for (int weekday = 0; weekday < 7; ++weekday) {
    if ((rule.last_weekdays >> weekday & 1) != 0) {
      words.push_back("the last " + weekday_name(weekday) + " of the month");
    }
  }
  for (int at = bit_at_or_above(rule.nth_weekdays, 0); at >= 0;
       at = bit_at_or_above(rule.nth_weekdays, at + 1)) {
    words.push_back("the " + ordinal(at / 7 + 1) + " " + weekday_name(at % 7) + " of the month");
  }
  return join(words);
}

// Empty if every day matches.
std::string days_text(const DayRule& rule) {
  const bool any_day = rule.days == kAllDays;
  const bool any_weekday = rule.weekdays == kAllWeekdays;
  if (any_day && any_weekday) return {};
  if (rule.either && (any_day || any_weekday)) return {};
  if (any_weekday) return " on " + month_days_text(rule);
  if (any_day) return " on " + weekdays_text(rule);
  if (rule.either) return " on " + month_days_text(rule) + " or on " + weekdays_text(rule);
  return " on " + month_days_text(rule) + " if that is also " + weekdays_text(rule);
}

std::string years_text(const Rule& rule) {
  std::vector<std::string> words;
  const auto has = [&](int year) {
    const auto bit = static_cast<std::size_t>(year - kFirstYear);
    return year <= kLastYear && (rule.years[bit / 64] >> (bit % 64) & 1) != 0;
  };
  if (!rule.bounded) return {};
  for (int year = kFirstYear; year <= kLastYear; ++year) {
    if (!has(year)) continue;
    const int first = year;
    while (has(year + 1)) ++year;
    if (first == kFirstYear && year == kLastYear) return {};
    words.push_back(std::to_string(first) + (year > first ? " to " + std::to_string(year) : ""));
  }
  return join(words);
}

std::string date_text(const Rule& rule) {
  const std::string days = days_text(rule.days);
  const std::string months = rule.months == kAllMonths ? "" : name_runs(rule.months, month_name);
  const std::string years = years_text(rule);
  std::string text = days;
  if (!months.empty()) text += (days.empty() ? " every day in " : " in ") + months;
  if (!years.empty()) text += (months.empty() ? " in " : " ") + years;
  return text;
}

std::string interval_text(Duration every) {
  const std::int64_t total = every.count() / 1'000'000;
  std::vector<std::string> words;
  if (total >= 3600) words.push_back(count_of(total / 3600, "hour"));
  if (total / 60 % 60 != 0) words.push_back(count_of(total / 60 % 60, "minute"));
  if (total % 60 != 0) words.push_back(count_of(total % 60, "second"));
  return "every " + join(words);
}

}  // namespace

std::string describe(const Cron& cron) {
  const Rule& rule = cron.rule();
  if (cron.every()) return interval_text(rule.every);
  std::string text = time_text(rule);
  const std::string date = date_text(rule);
  text += date.empty() && text.starts_with("at ") && text.find(" every ") == std::string::npos
              ? " every day"
              : date;
  return text + (cron.zone().name() == "UTC" ? ", UTC" : ", " + cron.zone().name() + " time");
}

}  // namespace escapement::calendar
