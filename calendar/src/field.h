// One numeric field of a cron expression: lists of '*', values, ranges and steps.
//
// Values are handed on one by one as bit positions, so the same code fills masks of any width.
// Functions answer false after filling `error`. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "escapement/base/result.h"

namespace escapement::calendar {

struct FieldKind {
  std::string_view name;     // as in error messages
  std::string_view allowed;  // as in error messages
  int low = 0;
  int high = 59;
  int open_high = 59;        // where '*' and 'a/n' end
  int size = 60;             // the largest step, and the length of a wrapped circle
  bool wraps = false;        // 'b-a' with b > a runs through the end (quartz)
  std::string_view names{};  // three letters each, in order
  int first_name = 0;        // the value of the first name
};

// What one item of a list says.
struct Item {
  int first = 0;
  int last = 0;
  int step = 1;
  bool open = false;  // '*', '*/n' or 'a/n'
};

Error field_error(const FieldKind& kind, std::string_view text, std::string_view reason);

// Reads "MON" or "15" from the front of `text`, and moves it on.
bool read_value(const FieldKind& kind, std::string_view item, std::string_view& text, int& value,
                Error& error);

bool parse_item(const FieldKind& kind, std::string_view item, Item& result, Error& error);

// Calls `put(value)` for each value of an item.
template <typename Put>
void for_each_value(const FieldKind& kind, const Item& item, Put put) {
  const int last = item.last < item.first ? item.last + kind.size : item.last;
  for (int value = item.first; value <= last; value += item.step) {
    put(value > kind.high ? value - kind.size : value);
  }
}

// Calls `use(item)` for each part between commas until one answers false.
template <typename Use>
bool for_each_item(std::string_view field, Use use) {
  while (true) {
    const std::size_t comma = field.find(',');
    if (!use(field.substr(0, comma))) return false;
    if (comma == std::string_view::npos) return true;
    field.remove_prefix(comma + 1);
  }
}

// A field of up to 64 values as a mask. `open` becomes true if any item is open, else is left.
bool parse_mask(const FieldKind& kind, std::string_view field, std::uint64_t& mask, bool& open,
                Error& error);

}  // namespace escapement::calendar
