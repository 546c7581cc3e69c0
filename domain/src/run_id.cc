#include <charconv>

#include "escapement/domain/run.h"

namespace escapement::domain {
namespace {

constexpr std::size_t kMaxHexDigits = 16;

std::string to_hex(std::int64_t value) {
  char digits[kMaxHexDigits];
  const auto end =
      std::to_chars(digits, digits + kMaxHexDigits, static_cast<std::uint64_t>(value), 16);
  return std::string(digits, end.ptr);
}

}  // namespace

std::string format_run_id(std::string_view store_name, RunId id) {
  return std::string(store_name) + "-" + to_hex(id.value);
}

std::optional<RunId> parse_run_id(std::string_view store_name, std::string_view text) {
  if (!text.starts_with(store_name)) return std::nullopt;
  text.remove_prefix(store_name.size());
  if (!text.starts_with('-')) return std::nullopt;
  text.remove_prefix(1);
  RunId id;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), id.value, 16);
  // One text per run: whatever would be written differently is no id.
  if (parsed.ec != std::errc() || id.value <= 0 || to_hex(id.value) != text) return std::nullopt;
  return id;
}

}  // namespace escapement::domain
