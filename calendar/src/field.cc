#include "field.h"

#include "echo.h"

namespace escapement::calendar {
namespace {

constexpr int kMaxNumber = 100'000;  // larger numbers are all equally out of range

bool is_digit(char c) { return c >= '0' && c <= '9'; }

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool read_number(std::string_view& text, int& number) {
  if (text.empty() || !is_digit(text.front())) return false;
  number = 0;
  while (!text.empty() && is_digit(text.front())) {
    if (number < kMaxNumber) number = number * 10 + (text.front() - '0');
    text.remove_prefix(1);
  }
  return true;
}

bool read_name(const FieldKind& kind, std::string_view& text, int& value) {
  if (kind.names.empty() || text.size() < 3) return false;
  const char wanted[3] = {upper(text[0]), upper(text[1]), upper(text[2])};
  for (std::size_t at = 0; at < kind.names.size(); at += 3) {
    if (kind.names.substr(at, 3) == std::string_view(wanted, 3)) {
      value = kind.first_name + static_cast<int>(at / 3);
      text.remove_prefix(3);
      return true;
    }
  }
  return false;
}

bool fail(Error& error, Error reason) {
  error = std::move(reason);
  return false;
}

bool read_step(const FieldKind& kind, std::string_view item, std::string_view& text, Item& result,
               Error& error) {
  text.remove_prefix(1);
  if (read_number(text, result.step) && result.step >= 1 && result.step <= kind.size) return true;
  return fail(error,
              invalid("", std::string(kind.name) + ": " + echo(item) +
                              " has a bad step; allowed are 1-" + std::to_string(kind.size)));
}

// After a first value: '-' and a second one, if there is one.
bool read_range_end(const FieldKind& kind, std::string_view item, std::string_view& text,
                    Item& result, Error& error) {
  result.last = result.first;
  if (text.empty() || text.front() != '-') return true;
  text.remove_prefix(1);
  if (!read_value(kind, item, text, result.last, error)) return false;
  if (result.last >= result.first || kind.wraps) return true;
  return fail(error,
              invalid("", std::string(kind.name) + ": " + echo(item) +
                              " runs backwards; the first value must not exceed the second"));
}

}  // namespace

Error field_error(const FieldKind& kind, std::string_view text, std::string_view reason) {
  return invalid("", std::string(kind.name) + ": " + echo(text) + " " + std::string(reason) +
                         "; allowed are " + std::string(kind.allowed));
}

bool read_value(const FieldKind& kind, std::string_view item, std::string_view& text, int& value,
                Error& error) {
  if (!read_number(text, value) && !read_name(kind, text, value)) {
    return fail(error, field_error(kind, item, "is not understood"));
  }
  if (value >= kind.low && value <= kind.high) return true;
  return fail(error, field_error(kind, item, "is out of range"));
}

bool parse_item(const FieldKind& kind, std::string_view item, Item& result, Error& error) {
  std::string_view text = item;
  bool range = false;
  if (text.starts_with('*')) {
    text.remove_prefix(1);
    result = {kind.low, kind.open_high, 1, true};
    range = true;
  } else {
    if (!read_value(kind, item, text, result.first, error)) return false;
    range = text.starts_with('-');
    if (!read_range_end(kind, item, text, result, error)) return false;
  }
  if (text.starts_with('/')) {
    if (!read_step(kind, item, text, result, error)) return false;
    if (!range) {
      result.last = result.first > kind.open_high ? result.first : kind.open_high;
      result.open = true;
    }
  }
  return text.empty() || fail(error, field_error(kind, item, "is not understood"));
}

bool parse_mask(const FieldKind& kind, std::string_view field, std::uint64_t& mask, bool& open,
                Error& error) {
  return for_each_item(field, [&](std::string_view text) {
    Item item;
    if (!parse_item(kind, text, item, error)) return false;
    open = open || item.open;
    for_each_value(kind, item, [&](int value) { mask |= std::uint64_t{1} << value; });
    return true;
  });
}

}  // namespace escapement::calendar
