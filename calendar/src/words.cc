#include "words.h"

#include <array>

#include "bits.h"

namespace escapement::calendar {

std::string join(const std::vector<std::string>& words, const std::string& last) {
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at) {
    if (at > 0) text += at + 1 == words.size() ? last : ", ";
    text += words[at];
  }
  return text;
}

std::string name_runs(std::uint64_t mask, const std::function<std::string(int)>& name) {
  std::vector<std::string> words;
  for (int first = bit_at_or_above(mask, 0); first >= 0;) {
    const int hole = bit_at_or_above(~mask, first);
    const int last = hole < 0 ? 63 : hole - 1;
    if (last - first >= 2) {
      words.push_back(name(first) + " to " + name(last));
    } else {
      words.push_back(name(first));
      if (last > first) words.push_back(name(last));
    }
    first = bit_at_or_above(mask, last + 1);
  }
  return join(words);
}

std::string weekday_name(int weekday) {
  static constexpr std::array<const char*, 7> kNames = {
      "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
  return kNames.at(static_cast<std::size_t>(weekday));
}

std::string month_name(int month) {
  static constexpr std::array<const char*, 12> kNames = {
      "January", "February", "March",     "April",   "May",      "June",
      "July",    "August",   "September", "October", "November", "December"};
  return kNames.at(static_cast<std::size_t>(month - 1));
}

std::string ordinal(int number) {
  const int unit = number / 10 == 1 ? 0 : number % 10;
  const char* const ending = unit == 1 ? "st" : unit == 2 ? "nd" : unit == 3 ? "rd" : "th";
  return std::to_string(number) + ending;
}

std::string two_digits(int number) {
  return {static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
}

std::string clock_text(const ClockTime& time, bool with_seconds) {
  std::string text = two_digits(time.hour) + ":" + two_digits(time.minute);
  if (with_seconds) text.append(":").append(two_digits(time.second));
  return text;
}

std::string count_of(std::int64_t number, const std::string& unit) {
  return std::to_string(number) + " " + unit + (number == 1 ? "" : "s");
}

}  // namespace escapement::calendar
