#include "parse.h"

#include <array>
#include <string>

#include "day_field.h"
#include "echo.h"
#include "field.h"

namespace escapement::calendar {
namespace {

constexpr int kMaxFields = 7;
constexpr std::string_view kMonthNames = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC";

FieldKind clock_kind(std::string_view name, std::string_view allowed, int size, bool wraps) {
  return {name, allowed, 0, size - 1, size - 1, size, wraps};
}

FieldKind month_kind(bool wraps) {
  return {"month", "1-12 and JAN-DEC", 1, 12, 12, 12, wraps, kMonthNames, 1};
}

constexpr FieldKind kYear{"year",    "1970-2099", kFirstYear,
                          kLastYear, kLastYear,   kLastYear - kFirstYear + 1};

struct Words {
  std::array<std::string_view, kMaxFields> word{};
  int count = 0;  // may exceed the array: too many
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

Words split(std::string_view text) {
  Words words;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return words;
    const char* const start = at;
    while (at != end && !is_blank(*at)) ++at;
    if (words.count < kMaxFields) {
      words.word[static_cast<std::size_t>(words.count)] =
          std::string_view(start, static_cast<std::size_t>(at - start));
    }
    ++words.count;
  }
}

bool fail(Error& error, std::string message) {
  error = invalid("", std::move(message));
  return false;
}

bool wrong_count(int count, Dialect dialect, Error& error) {
  const char* const wanted =
      dialect == Dialect::kUnix
          ? "the unix dialect has 5 (minute hour day-of-month month day-of-week)"
          : "the quartz dialect has 6 or 7 (second minute hour day-of-month month day-of-week "
            "[year])";
  return fail(error, "expression: " + std::to_string(count) +
                         (count == 1 ? " field; " : " fields; ") + wanted);
}

// The number and the unit at the front of `text`, in seconds; -1 if it is neither.
std::int64_t read_term(std::string_view& text) {
  std::int64_t number = 0;
  std::size_t digits = 0;
  while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
    number = number * 10 + (text[digits++] - '0');
    if (number > kMaxEvery.count()) return -1;
  }
  if (digits == 0 || digits == text.size()) return -1;
  const char unit = text[digits];
  text.remove_prefix(digits + 1);
  if (unit == 'h') return number * 3600;
  if (unit == 'm') return number * 60;
  return unit == 's' ? number : -1;
}

bool parse_every(const Words& words, Rule& rule, Error& error) {
  std::string_view text = words.word[1];
  constexpr std::int64_t kLimit = kMaxEvery.count() / 1'000'000;
  std::int64_t total = 0;
  bool good = words.count == 2;
  while (good && !text.empty()) {
    const std::int64_t term = read_term(text);
    total += term;
    good = term >= 0 && total <= kLimit;
  }
  if (!good || total == 0) {
    return fail(error, "@every: " + echo(words.word[1]) +
                           " is no interval; allowed are 1s to 8784h, such as 90s or 1h30m");
  }
  rule.every = std::chrono::seconds{total};
  return true;
}

// The five fields that a macro stands for; empty if there is no such macro.
std::string_view macro_fields(std::string_view name) {
  if (name == "@yearly" || name == "@annually") return "0 0 1 1 *";
  if (name == "@monthly") return "0 0 1 * *";
  if (name == "@weekly") return "0 0 * * 0";
  if (name == "@daily" || name == "@midnight") return "0 0 * * *";
  if (name == "@hourly") return "0 * * * *";
  return {};
}

bool parse_years(std::string_view field, Rule& rule, Error& error) {
  return for_each_item(field, [&](std::string_view text) {
    Item item;
    if (!parse_item(kYear, text, item, error)) return false;
    for_each_value(kYear, item, [&](int year) {
      const auto position = static_cast<std::size_t>(year - kFirstYear);
      rule.years[position / 64] |= std::uint64_t{1} << (position % 64);
    });
    return true;
  });
}

// Minutes to weekdays, from the `first` word on.
bool parse_common(const Words& words, std::size_t first, Dialect dialect, Rule& rule,
                  Error& error) {
  const bool quartz = dialect == Dialect::kQuartz;
  std::uint64_t hours = 0;
  std::uint64_t months = 0;
  bool ignored = false;
  const bool good = parse_mask(clock_kind("minute", "0-59", 60, quartz), words.word[first],
                               rule.minutes, rule.wildcard, error) &&
                    parse_mask(clock_kind("hour", "0-23", 24, quartz), words.word[first + 1], hours,
                               rule.wildcard, error) &&
                    parse_month_days(words.word[first + 2], dialect, rule.days, error) &&
                    parse_mask(month_kind(quartz), words.word[first + 3], months, ignored, error) &&
                    parse_weekdays(words.word[first + 4], dialect, rule.days, error);
  rule.hours = static_cast<std::uint32_t>(hours);
  rule.months = static_cast<std::uint32_t>(months);
  return good;
}

bool parse_unix(const Words& words, Rule& rule, Error& error) {
  if (words.count != 5) return wrong_count(words.count, Dialect::kUnix, error);
  rule.seconds = 1;
  if (!parse_common(words, 0, Dialect::kUnix, rule, error)) return false;
  rule.days.either = !rule.days.month_day_star && !rule.days.weekday_star;
  finish_rule(rule);
  return true;
}

bool parse_quartz(const Words& words, Rule& rule, Error& error) {
  if (words.count != 6 && words.count != 7) {
    return wrong_count(words.count, Dialect::kQuartz, error);
  }
  if (!parse_mask(clock_kind("second", "0-59", 60, true), words.word[0], rule.seconds,
                  rule.wildcard, error) ||
      !parse_common(words, 1, Dialect::kQuartz, rule, error)) {
    return false;
  }
  if (words.word[3] == "?" && words.word[5] == "?") {
    return fail(error, "day of week: \"?\" stands in both day fields; allowed is one of them");
  }
  rule.bounded = true;
  if (!parse_years(words.count == 7 ? words.word[6] : "*", rule, error)) return false;
  finish_rule(rule);
  return true;
}

bool parse_macro(const Words& words, Dialect dialect, Rule& rule, Error& error) {
  const std::string_view name = words.word[0];
  if (dialect != Dialect::kUnix) {
    return fail(error,
                "expression: " + echo(name) + " is a macro; allowed only in the unix dialect");
  }
  if (name == "@every") return parse_every(words, rule, error);
  const std::string_view fields = words.count == 1 ? macro_fields(name) : std::string_view{};
  if (!fields.empty()) return parse_unix(split(fields), rule, error);
  return fail(error, "expression: " + echo(name) +
                         " is no macro; allowed are @yearly, @annually, @monthly, @weekly, @daily, "
                         "@midnight, @hourly and @every 90s");
}

}  // namespace

int count_fields(std::string_view expression) { return split(expression).count; }

bool parse_rule(std::string_view expression, Dialect dialect, Rule& rule, Error& error) {
  if (expression.size() > kMaxExpressionBytes) {
    return fail(error, "expression: " + std::to_string(expression.size()) + " bytes; allowed are " +
                           std::to_string(kMaxExpressionBytes));
  }
  const Words words = split(expression);
  if (words.count == 0) return fail(error, "expression: is empty; allowed are 5 to 7 fields");
  if (words.word[0].starts_with('@')) return parse_macro(words, dialect, rule, error);
  return dialect == Dialect::kUnix ? parse_unix(words, rule, error)
                                   : parse_quartz(words, rule, error);
}

}  // namespace escapement::calendar
