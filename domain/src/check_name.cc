#include "codec_detail.h"
#include "escapement/domain/codec.h"

namespace escapement::domain {
namespace {

constexpr char32_t kBroken = 0xFFFFFFFF;

// Takes one character of UTF-8 from the front; kBroken for bytes that are none: cut short,
// overlong, a surrogate, above U+10FFFF.
char32_t take_character(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  text.remove_prefix(1);
  if (lead < 0x80) return lead;
  const int more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
  if (lead < 0xC2 || lead > 0xF4) return kBroken;
  char32_t value = lead & (0x3Fu >> more);
  for (int i = 0; i < more; ++i) {
    if (text.empty()) return kBroken;
    const auto next = static_cast<unsigned char>(text.front());
    if ((next & 0xC0) != 0x80) return kBroken;
    text.remove_prefix(1);
    value = value << 6 | (next & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  return value < kSmallest[more - 1] || surrogate || value > 0x10FFFF ? kBroken : value;
}

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

const char* what_is_wrong_with(std::string_view name) {
  // As parts of a URL's path, clients take these two for folders.
  if (name == "." || name == "..") return "must not be \".\" or \"..\"";
  while (!name.empty()) {
    const char32_t c = take_character(name);
    if (c == kBroken) return "must be UTF-8";
    if (c == '/') return "must not contain '/'";
    if (is_control(c)) return "must not contain control characters";
  }
  return nullptr;
}

}  // namespace

Status check_name(std::string_view name, const std::string& field) {
  if (name.empty()) return invalid(field, "is required and must not be empty");
  if (name.size() > kMaxNameBytes) {
    return invalid(field, "must have at most " + std::to_string(kMaxNameBytes) + " bytes, not " +
                              std::to_string(name.size()));
  }
  if (const char* wrong = what_is_wrong_with(name)) return invalid(field, wrong);
  return {};
}

}  // namespace escapement::domain
