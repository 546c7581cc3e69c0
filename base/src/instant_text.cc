// Instants as RFC 3339 text, digit by digit: no locale, no time zone database, no allocation but
// for the answer.
#include <algorithm>

#include "escapement/base/time.h"
#include "quote.h"

namespace escapement {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using std::chrono::year_month_day;

constexpr Instant kFirstInstant = sys_days{std::chrono::year{0} / 1 / 1};
constexpr Instant kLastInstant =
    sys_days{std::chrono::year{9999} / 12 / 31} + std::chrono::hours{24} - Duration{1};
constexpr int kFractionDigits = 6;

void put_digits(std::string& out, std::int64_t value, int width) {
  std::string digits(static_cast<std::size_t>(width), '0');
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit, value /= 10) {
    *digit = static_cast<char>('0' + value % 10);
  }
  out += digits;
}

// A place in the text; every reader moves it on, or answers false and leaves the rest unread.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool done() const { return rest_.empty(); }
  bool at_digit() const { return !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; }

  int digit() {
    const int value = rest_[0] - '0';
    rest_.remove_prefix(1);
    return value;
  }

  bool digits(int count, int& value) {
    value = 0;
    for (int i = 0; i < count; ++i) {
      if (!at_digit()) return false;
      value = value * 10 + digit();
    }
    return true;
  }

  // Reads one of the characters of `set`; 0 when the next one is another.
  char any_of(std::string_view set) {
    if (rest_.empty() || set.find(rest_[0]) == std::string_view::npos) return 0;
    const char found = rest_[0];
    rest_.remove_prefix(1);
    return found;
  }

 private:
  std::string_view rest_;
};

// Each part of the text answers nullptr, or what is wrong with it.
using Fault = const char*;

Fault read_date(Scanner& scanner, Instant& at) {
  int year = 0;
  int month = 0;
  int day = 0;
  const bool shaped = scanner.digits(4, year) && scanner.any_of("-") && scanner.digits(2, month) &&
                      scanner.any_of("-") && scanner.digits(2, day);
  if (!shaped) return "the date must be YYYY-MM-DD";
  const year_month_day date{std::chrono::year{year},
                            std::chrono::month{static_cast<unsigned>(month)},
                            std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return "there is no such day";
  at = sys_days{date};
  return nullptr;
}

Fault read_time(Scanner& scanner, Instant& at) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  const bool shaped = scanner.digits(2, hour) && scanner.any_of(":") && scanner.digits(2, minute) &&
                      scanner.any_of(":") && scanner.digits(2, second);
  if (!shaped) return "the time must be hh:mm:ss";
  if (hour > 23 || minute > 59 || second > 59) return "there is no such time of day";
  at += std::chrono::hours{hour} + std::chrono::minutes{minute} + std::chrono::seconds{second};
  return nullptr;
}

Fault read_fraction(Scanner& scanner, Instant& at) {
  if (!scanner.any_of(".")) return nullptr;
  if (!scanner.at_digit()) return "a digit must follow the decimal point";
  std::int64_t micros = 0;
  for (int i = 0; i < kFractionDigits; ++i) {
    micros = micros * 10 + (scanner.at_digit() ? scanner.digit() : 0);
  }
  if (scanner.at_digit()) return "at most 6 fraction digits are allowed";
  at += Duration{micros};
  return nullptr;
}

Fault read_offset(Scanner& scanner, Instant& at) {
  if (scanner.any_of("Zz")) return nullptr;
  const char sign = scanner.any_of("+-");
  int hour = 0;
  int minute = 0;
  const bool shaped =
      sign && scanner.digits(2, hour) && scanner.any_of(":") && scanner.digits(2, minute);
  if (!shaped) return "it must end in Z or an offset +hh:mm";
  if (hour > 23 || minute > 59) return "there is no such offset";
  const Duration offset = std::chrono::hours{hour} + std::chrono::minutes{minute};
  at = sign == '+' ? at - offset : at + offset;
  return nullptr;
}

Fault read_instant(Scanner& scanner, Instant& at) {
  if (Fault fault = read_date(scanner, at)) return fault;
  if (!scanner.any_of("Tt ")) return "T or a space must follow the date";
  if (Fault fault = read_time(scanner, at)) return fault;
  if (Fault fault = read_fraction(scanner, at)) return fault;
  if (Fault fault = read_offset(scanner, at)) return fault;
  if (!scanner.done()) return "nothing may follow the offset";
  if (at < kFirstInstant || at > kLastInstant) return "it is outside the years 0000-9999 in UTC";
  return nullptr;
}

void put_date(std::string& out, sys_days day) {
  const year_month_day date{day};
  put_digits(out, int{date.year()}, 4);
  out += '-';
  put_digits(out, unsigned{date.month()}, 2);
  out += '-';
  put_digits(out, unsigned{date.day()}, 2);
}

void put_time(std::string& out, Duration since_midnight, bool always_micros) {
  const std::chrono::hh_mm_ss time{since_midnight};
  put_digits(out, time.hours().count(), 2);
  out += ':';
  put_digits(out, time.minutes().count(), 2);
  out += ':';
  put_digits(out, time.seconds().count(), 2);
  if (always_micros || time.subseconds() != Duration::zero()) {
    out += '.';
    put_digits(out, time.subseconds().count(), kFractionDigits);
  }
}

}  // namespace

std::string format_instant(Instant at, bool always_micros) {
  at = std::clamp(at, kFirstInstant, kLastInstant);
  const sys_days day = std::chrono::floor<days>(at);
  std::string out;
  put_date(out, day);
  out += 'T';
  put_time(out, at - day, always_micros);
  out += 'Z';
  return out;
}

Result<Instant> parse_instant(std::string_view text) {
  Scanner scanner(text);
  Instant at{};
  if (Fault fault = read_instant(scanner, at)) {
    return invalid(
        "", in_quotes(text) + " is not an instant: " + fault + ", as in \"2026-03-29T01:30:00Z\"");
  }
  return at;
}

}  // namespace escapement
