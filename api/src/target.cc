#include "target.h"

#include <charconv>

namespace escapement::api {
namespace {

constexpr std::size_t kMaxShownBytes = 64;

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::string shown(std::string_view text) {
  return "\"" + std::string(text.substr(0, kMaxShownBytes)) + "\"";
}

// Cuts the text up to the separator off the front.
std::string_view take_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
  return part;
}

Status parse_parameter(std::string_view text, std::map<std::string, std::string>& query) {
  const std::string_view raw_name = take_part(text, '=');
  const Result<std::string> name = percent_decode(raw_name, true);
  if (!name.ok()) return name.error();
  const Result<std::string> value = percent_decode(text, true);
  if (!value.ok()) return value.error();
  if (query.emplace(*name, *value).second) return {};
  return invalid(name->substr(0, kMaxShownBytes), "the parameter is given twice");
}

}  // namespace

Result<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
    const auto low = i + 2 < text.size() ? hex_digit(text[i + 2]) : std::nullopt;
    if (!high || !low) {
      return invalid("", shown(text.substr(i, 3)) + " is no percent-encoding; write '%' as %25");
    }
    out += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return out;
}

Result<Target> parse_target(std::string_view text) {
  if (!text.starts_with('/')) return invalid("", "the request's target must begin with '/'");
  Target target;
  std::string_view path = take_part(text, '?');
  path.remove_prefix(1);
  for (bool more = true; more;) {
    more = path.find('/') != std::string_view::npos;
    Result<std::string> segment = percent_decode(take_part(path, '/'), false);
    if (!segment.ok()) return segment.error();
    target.segments.push_back(std::move(*segment));
  }
  while (!text.empty()) {
    const std::string_view parameter = take_part(text, '&');
    if (parameter.empty()) continue;
    const Status parsed = parse_parameter(parameter, target.query);
    if (!parsed.ok()) return parsed.error();
  }
  return target;
}

std::optional<std::string> QueryReader::string(const std::string& name) {
  known_.insert(name);
  const auto found = query_.find(name);
  if (found == query_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::int64_t> QueryReader::integer(const std::string& name, IntegerRange range) {
  const std::optional<std::string> text = string(name);
  if (!text) return std::nullopt;
  std::int64_t number = 0;
  const char* end = text->data() + text->size();
  const auto parsed = std::from_chars(text->data(), end, number);
  const bool whole = parsed.ec == std::errc() && parsed.ptr == end;
  if (whole && number >= range.min && number <= range.max) return number;
  fail(invalid(name, "must be a whole number from " + std::to_string(range.min) + " to " +
                         std::to_string(range.max) + ", not " + shown(*text)));
  return std::nullopt;
}

std::optional<Instant> QueryReader::instant(const std::string& name) {
  const std::optional<std::string> text = string(name);
  if (!text) return std::nullopt;
  const Result<Instant> at = parse_instant(*text);
  if (at.ok()) return *at;
  fail(invalid(name, at.error().message));
  return std::nullopt;
}

void QueryReader::fail(Error error) {
  if (status_.ok()) status_ = Status(std::move(error));
}

Status QueryReader::finish() {
  for (const auto& [name, value] : query_) {
    if (known_.contains(name)) continue;
    std::string message = "unknown parameter; known here:";
    for (const std::string& known : known_) message += " " + known;
    if (known_.empty()) message = "unknown parameter; none is known here";
    fail(invalid(name.substr(0, kMaxShownBytes), std::move(message)));
  }
  return status_;
}

}  // namespace escapement::api
