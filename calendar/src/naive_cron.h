// NaiveCron: a random cron expression and, independently of the parser, what it means. Tests only.
//
// Sets instead of masks, dates from std::chrono, offsets from the C library: nothing here is shared
// with the code under test.
#pragma once

#include <array>
#include <chrono>
#include <random>
#include <set>
#include <string>

#include "escapement/calendar/cron.h"

namespace escapement::calendar::naive {

using Random = std::mt19937_64;

inline int pick(Random& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

struct Field {
  std::string text;
  std::set<int> values;
  bool open = false;
};

// A random item of low..high: '*', '*/n', 'a/n', 'a', 'a-b' or 'a-b/n'.
inline void add_item(Random& random, int low, int high, Field& field) {
  const int shape = pick(random, 0, 9);
  const int step = shape % 3 == 0 ? pick(random, 1, high - low + 1) : 1;
  int first = pick(random, low, high);
  int last = pick(random, first, high);
  const std::string tail = "/" + std::to_string(step);
  if (shape <= 1) {
    first = low;
    last = high;
    field.text += shape == 0 ? "*" + tail : "*";
  } else if (shape == 3) {
    last = high;
    field.text += std::to_string(first) + tail;
  } else if (shape == 2 || shape == 6) {
    field.text += std::to_string(first) + "-" + std::to_string(last) + (shape == 6 ? tail : "");
  } else {
    last = first;
    field.text += std::to_string(first);
  }
  field.open = field.open || shape <= 1 || shape == 3;
  const int stride = shape == 0 || shape == 3 || shape == 6 ? step : 1;
  for (int value = first; value <= last; value += stride) field.values.insert(value);
}

inline Field random_field(Random& random, int low, int high) {
  Field field;
  const int items = std::max(1, pick(random, -2, 3));
  for (int item = 0; item < items; ++item) {
    if (item > 0) field.text += ',';
    add_item(random, low, high, field);
  }
  return field;
}

struct Expression {
  Dialect dialect = Dialect::kUnix;
  std::string text;
  std::set<int> seconds, minutes, hours, months;
  std::set<int> days, weekdays;  // weekdays: 0 is Sunday
  bool either = false;
  bool wildcard = false;
};

// Restricted days are made rare, so that windows of three days hold fires.
inline Expression random_expression(Random& random) {
  const bool quartz = pick(random, 0, 1) == 1;
  const Field star{"*", {}, true};
  const Field second =
      pick(random, 0, 1) == 0 ? Field{"0", {0}, false} : random_field(random, 0, 59);
  const Field minute = random_field(random, 0, 59);
  const Field hour = random_field(random, 0, 23);
  Field day = pick(random, 0, 3) == 0 ? random_field(random, 1, 31) : star;
  Field weekday =
      pick(random, 0, 3) == 0 ? random_field(random, quartz ? 1 : 0, quartz ? 7 : 6) : star;
  Expression made;
  made.dialect = quartz ? Dialect::kQuartz : Dialect::kUnix;
  made.text = minute.text + " " + hour.text + " " + day.text + " * " + weekday.text;
  if (quartz) made.text = second.text + " " + made.text;
  made.seconds = quartz ? second.values : std::set<int>{0};
  made.minutes = minute.values;
  made.hours = hour.values;
  for (int value = 1; value <= 31; ++value) {
    if (day.text == "*" || day.values.contains(value)) made.days.insert(value);
    if (value <= 12) made.months.insert(value);
    const int named = quartz ? value : value - 1;
    if (value <= 7 && (weekday.text == "*" || weekday.values.contains(named))) {
      made.weekdays.insert(value - 1);
    }
  }
  made.either = !quartz && day.text[0] != '*' && weekday.text[0] != '*';
  made.wildcard = minute.open || hour.open || (quartz && second.open);
  return made;
}

// A clock on the wall.
struct Face {
  std::chrono::year_month_day date{};
  int weekday = 0;
  int hour = 0;
  int minute = 0;
};

inline Face face_of(std::int64_t local_minute) {
  const std::chrono::sys_time<std::chrono::minutes> at{std::chrono::minutes{local_minute}};
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const auto rest = static_cast<int>((at - day).count());
  return {std::chrono::year_month_day{day},
          static_cast<int>(std::chrono::weekday{day}.c_encoding()), rest / 60, rest % 60};
}

// Membership by array, for speed.
struct Matcher {
  explicit Matcher(const Expression& from)
      : either(from.either), bounded(from.dialect == Dialect::kQuartz) {
    for (const int value : from.minutes) minutes[static_cast<std::size_t>(value)] = true;
    for (const int value : from.hours) hours[static_cast<std::size_t>(value)] = true;
    for (const int value : from.days) days[static_cast<std::size_t>(value)] = true;
    for (const int value : from.weekdays) weekdays[static_cast<std::size_t>(value)] = true;
  }

  bool matches(const Face& face) const {
    if (!minutes[static_cast<std::size_t>(face.minute)]) return false;
    if (!hours[static_cast<std::size_t>(face.hour)]) return false;
    const int year = static_cast<int>(face.date.year());
    if (bounded && (year < 1970 || year > 2099)) return false;
    const bool day = days[static_cast<unsigned>(face.date.day())];
    const bool weekday = weekdays[static_cast<std::size_t>(face.weekday)];
    return either ? day || weekday : day && weekday;
  }

  std::array<bool, 60> minutes{};
  std::array<bool, 24> hours{};
  std::array<bool, 32> days{};
  std::array<bool, 7> weekdays{};
  bool either;
  bool bounded;  // quartz knows the years 1970 to 2099
};

}  // namespace escapement::calendar::naive
