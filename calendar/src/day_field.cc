#include "day_field.h"

#include "field.h"

namespace escapement::calendar {
namespace {

constexpr std::string_view kWeekdayNames = "SUNMONTUEWEDTHUFRISAT";

constexpr FieldKind kUnixMonthDay{
    "day of month", "1-31, ranges, lists, steps and *", 1, 31, 31, 31};
constexpr FieldKind kQuartzMonthDay{
    "day of month", "1-31, *, ?, L, L-3, LW and 15W", 1, 31, 31, 31, true};
// '*' and 'a/n' end with Saturday: 7 is only a second name of Sunday.
constexpr FieldKind kUnixWeekday{"day of week", "0-7 and SUN-SAT", 0, 7, 6, 7,
                                 false,         kWeekdayNames,     0};
constexpr FieldKind kQuartzWeekday{
    "day of week", "1-7, SUN-SAT, *, ?, L, 5L and 6#3", 1, 7, 7, 7, true, kWeekdayNames, 1};

constexpr int kMaxDaysFromEnd = 30;

bool fail(const FieldKind& kind, std::string_view item, Error& error) {
  error = field_error(kind, item, "is not understood");
  return false;
}

bool is_letter(char c, char wanted) { return c == wanted || c == wanted - 'A' + 'a'; }

bool ends_with_letter(std::string_view text, char wanted) {
  return !text.empty() && is_letter(text.back(), wanted);
}

std::uint32_t bit(int position) { return std::uint32_t{1} << position; }

// A number that is the whole text, at most two digits; -1 if it is not.
int whole_number(std::string_view text) {
  if (text.empty() || text.size() > 2) return -1;
  int number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return number;
}

// L, L-3, LW, L-3W.
bool parse_from_end(std::string_view item, DayRule& rule, Error& error) {
  std::string_view text = item.substr(1);
  const bool nearest = ends_with_letter(text, 'W');
  if (nearest) text.remove_suffix(1);
  int days = 0;
  if (!text.empty()) {
    days = text.front() == '-' ? whole_number(text.substr(1)) : -1;
    if (days < 0 || days > kMaxDaysFromEnd) return fail(kQuartzMonthDay, item, error);
  }
  (nearest ? rule.nearest_from_end : rule.from_end) |= bit(days);
  return true;
}

// 15W.
bool parse_nearest(std::string_view item, DayRule& rule, Error& error) {
  const int day = whole_number(item.substr(0, item.size() - 1));
  if (day < 1 || day > 31) return fail(kQuartzMonthDay, item, error);
  rule.nearest |= bit(day);
  return true;
}

bool parse_plain_month_days(const FieldKind& kind, std::string_view text, DayRule& rule,
                            Error& error) {
  Item item;
  if (!parse_item(kind, text, item, error)) return false;
  for_each_value(kind, item, [&](int day) { rule.days |= bit(day); });
  return true;
}

bool parse_month_day_item(std::string_view item, Dialect dialect, DayRule& rule, Error& error) {
  if (dialect == Dialect::kUnix) return parse_plain_month_days(kUnixMonthDay, item, rule, error);
  if (!item.empty() && is_letter(item.front(), 'L')) return parse_from_end(item, rule, error);
  if (ends_with_letter(item, 'W')) return parse_nearest(item, rule, error);
  return parse_plain_month_days(kQuartzMonthDay, item, rule, error);
}

// 5L, FRIL: the text without its L. 6#3, FRI#3: the text before and after the '#'.
bool parse_special_weekday(std::string_view item, DayRule& rule, Error& error) {
  std::string_view rest = item;
  int weekday = 0;
  if (!read_value(kQuartzWeekday, item, rest, weekday, error)) return false;
  if (rest.size() == 1 && is_letter(rest.front(), 'L')) {
    rule.last_weekdays = static_cast<std::uint8_t>(rule.last_weekdays | bit(weekday - 1));
    return true;
  }
  const int nth = rest.starts_with('#') ? whole_number(rest.substr(1)) : -1;
  if (nth < 1 || nth > 5) return fail(kQuartzWeekday, item, error);
  rule.nth_weekdays |= std::uint64_t{1} << (7 * (nth - 1) + weekday - 1);
  return true;
}

bool is_special_weekday(std::string_view item) {
  return item.find('#') != std::string_view::npos || ends_with_letter(item, 'L');
}

bool parse_weekday_item(std::string_view text, Dialect dialect, DayRule& rule, Error& error) {
  const bool quartz = dialect == Dialect::kQuartz;
  // Alone it is the last day of the week, as in Quartz: Saturday.
  if (quartz && (text == "L" || text == "l")) text = "SAT";
  if (quartz && is_special_weekday(text)) return parse_special_weekday(text, rule, error);
  const FieldKind& kind = quartz ? kQuartzWeekday : kUnixWeekday;
  Item item;
  if (!parse_item(kind, text, item, error)) return false;
  for_each_value(kind, item, [&](int value) {
    rule.weekdays = static_cast<std::uint8_t>(rule.weekdays | bit((value - kind.first_name) % 7));
  });
  return true;
}

bool is_any(std::string_view field, Dialect dialect) {
  return field == "*" || (field == "?" && dialect == Dialect::kQuartz);
}

}  // namespace

bool parse_month_days(std::string_view field, Dialect dialect, DayRule& rule, Error& error) {
  rule.month_day_star = field.starts_with('*') || is_any(field, dialect);
  if (is_any(field, dialect)) {
    rule.days = 0xFFFFFFFE;
    return true;
  }
  return for_each_item(field, [&](std::string_view item) {
    return parse_month_day_item(item, dialect, rule, error);
  });
}

bool parse_weekdays(std::string_view field, Dialect dialect, DayRule& rule, Error& error) {
  rule.weekday_star = field.starts_with('*') || is_any(field, dialect);
  if (is_any(field, dialect)) {
    rule.weekdays = 0x7F;
    return true;
  }
  return for_each_item(
      field, [&](std::string_view item) { return parse_weekday_item(item, dialect, rule, error); });
}

}  // namespace escapement::calendar
