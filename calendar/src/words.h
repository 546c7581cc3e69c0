// Words for sets: the small pieces of English that describe.cc and lint.cc share. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace escapement::calendar {

// "a", "a and b", "a, b and c"; or with another last word.
std::string join(const std::vector<std::string>& words, const std::string& last = " and ");

// Names of the set bits of a mask; runs of three and more become "first to last".
std::string name_runs(std::uint64_t mask, const std::function<std::string(int)>& name);

std::string weekday_name(int weekday);  // 0 is Sunday
std::string month_name(int month);      // 1 is January
std::string ordinal(int number);        // "1st"
std::string two_digits(int number);     // "07"; 0-99

struct ClockTime {
  int hour = 0;
  int minute = 0;
  int second = 0;
};

// "02:30" or "02:30:15".
std::string clock_text(const ClockTime& time, bool with_seconds);

// "1 minute", "2 minutes".
std::string count_of(std::int64_t number, const std::string& unit);

}  // namespace escapement::calendar
