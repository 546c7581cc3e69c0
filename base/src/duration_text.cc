// Durations as text such as "1h30m": exact decimal arithmetic on whole microseconds, no floating
// point, no locale.
#include <array>

#include "escapement/base/time.h"
#include "quote.h"

namespace escapement {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t micros;
};

// Largest first, the order in which a duration is written.
constexpr std::array<Unit, 6> kUnits{{{"d", 86'400'000'000},
                                      {"h", 3'600'000'000},
                                      {"m", 60'000'000},
                                      {"s", 1'000'000},
                                      {"ms", 1'000},
                                      {"us", 1}}};
constexpr std::int64_t kMinuteMicros = 60'000'000;
constexpr std::string_view kDigits = "0123456789";

std::string_view take_while_in(std::string_view& rest, std::string_view set) {
  const std::string_view taken = rest.substr(0, rest.find_first_not_of(set));
  rest.remove_prefix(taken.size());
  return taken;
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : kUnits) {
    if (unit.name == name) return &unit;
  }
  return nullptr;
}

// One decimal number and its unit: "1.5s" is whole "1", fraction "5".
struct Term {
  std::string_view whole;
  std::string_view fraction;
  const Unit* unit = nullptr;
};

// Each step answers nullptr, or what is wrong with the text.
using Fault = const char*;

Fault read_term(std::string_view& rest, Term& term) {
  term.whole = take_while_in(rest, kDigits);
  if (term.whole.empty()) return "a number must stand before each unit";
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    term.fraction = take_while_in(rest, kDigits);
    if (term.fraction.empty()) return "a digit must follow the decimal point";
  }
  const std::string_view name = take_while_in(rest, "abcdefghijklmnopqrstuvwxyz");
  term.unit = find_unit(name);
  return term.unit ? nullptr : "the units are us, ms, s, m, h and d";
}

// Adds the whole part, `total` staying in range.
bool add_whole(const Term& term, std::int64_t& total) {
  std::int64_t count = 0;
  for (const char digit : term.whole) {
    if (__builtin_mul_overflow(count, 10, &count)) return false;
    if (__builtin_add_overflow(count, digit - '0', &count)) return false;
  }
  if (__builtin_mul_overflow(count, term.unit->micros, &count)) return false;
  return !__builtin_add_overflow(total, count, &total);
}

// The microseconds of the fraction, by Horner's rule from the last digit; false when they are not
// whole. If the result is whole then every step is, so the digits need no limit.
bool fraction_micros(const Term& term, std::int64_t& micros) {
  micros = 0;
  for (auto digit = term.fraction.rbegin(); digit != term.fraction.rend(); ++digit) {
    micros += (*digit - '0') * term.unit->micros;
    if (micros % 10 != 0) return false;
    micros /= 10;
  }
  return true;
}

Fault read_duration(std::string_view rest, std::int64_t& total) {
  if (rest.empty()) return "it is empty";
  if (rest.starts_with('-')) return "it must not be negative";
  while (!rest.empty()) {
    Term term;
    if (Fault fault = read_term(rest, term)) return fault;
    std::int64_t fraction = 0;
    if (!fraction_micros(term, fraction)) return "it is finer than a microsecond";
    if (!add_whole(term, total) || __builtin_add_overflow(total, fraction, &total)) {
      return "it is longer than 106751991d";
    }
  }
  return nullptr;
}

// The part below one minute as one decimal number of its largest unit: "1.5s", "250ms".
std::string below_a_minute(std::uint64_t micros) {
  const Unit& unit = micros >= 1'000'000 ? kUnits[3] : micros >= 1'000 ? kUnits[4] : kUnits[5];
  const auto size = static_cast<std::uint64_t>(unit.micros);
  std::string out = std::to_string(micros / size);
  if (micros % size != 0) {
    // size + rest has one digit more than the fraction; that leading 1 becomes the point.
    std::string fraction = std::to_string(size + micros % size);
    fraction[0] = '.';
    out += fraction.substr(0, fraction.find_last_not_of('0') + 1);
  }
  return out.append(unit.name);
}

}  // namespace

Result<Duration> parse_duration(std::string_view text) {
  std::int64_t total = 0;
  if (Fault fault = read_duration(text, total)) {
    return invalid("", in_quotes(text) + " is not a duration: " + fault + ", as in \"1h30m\"");
  }
  return Duration{total};
}

std::string format_duration(Duration value) {
  if (value == Duration::zero()) return "0s";
  std::string out = value < Duration::zero() ? "-" : "";
  const auto count = static_cast<std::uint64_t>(value.count());
  // Unsigned, so that the most negative value has a magnitude.
  std::uint64_t rest = value < Duration::zero() ? 0 - count : count;
  for (const Unit& unit : kUnits) {
    if (unit.micros < kMinuteMicros) break;
    const auto size = static_cast<std::uint64_t>(unit.micros);
    if (rest >= size) out += std::to_string(rest / size).append(unit.name);
    rest %= size;
  }
  if (rest > 0) out += below_a_minute(rest);
  return out;
}

}  // namespace escapement
