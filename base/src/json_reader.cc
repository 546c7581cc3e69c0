#include "escapement/base/json.h"
#include "quote.h"

namespace escapement {
namespace {

// A value as an error shows it: scalars by their text, the others by their kind.
std::string shown(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "an array";
  return clipped(dump_json(value));
}

std::string must_be(std::string_view wanted, const Json& value) {
  return "must be " + std::string(wanted) + ", not " + shown(value);
}

// Whether the value is a whole number in the range; 64-bit unsigned values above INT64_MAX are not.
std::optional<std::int64_t> integer_in(const Json& value, IntegerRange range) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return std::nullopt;
  const auto number = value.get<std::int64_t>();
  if (number < range.min || number > range.max) return std::nullopt;
  return number;
}

}  // namespace

JsonReader::JsonReader(const Json& object, std::string path) : path_(std::move(path)) {
  if (object.is_object()) {
    object_ = &object;
  } else {
    fail(invalid(path_, must_be("an object", object)));
  }
}

const Json* JsonReader::find(std::string_view name) {
  if (failed()) return nullptr;
  known_.emplace(name);
  const auto found = object_->find(name);
  return found == object_->end() ? nullptr : &*found;
}

std::optional<std::string> JsonReader::string(std::string_view name, std::size_t max_bytes) {
  const Json* found = find(name);
  if (!found) return std::nullopt;
  if (!found->is_string()) {
    fail(name, must_be("a string", *found));
    return std::nullopt;
  }
  const auto& text = found->get_ref<const std::string&>();
  if (text.size() > max_bytes) {
    fail(name, "must have at most " + std::to_string(max_bytes) + " bytes, not " +
                   std::to_string(text.size()));
    return std::nullopt;
  }
  return text;
}

std::optional<std::int64_t> JsonReader::integer(std::string_view name, IntegerRange range) {
  const Json* found = find(name);
  if (!found) return std::nullopt;
  const std::optional<std::int64_t> number = integer_in(*found, range);
  if (!number) {
    fail(name, must_be("a whole number from " + std::to_string(range.min) + " to " +
                           std::to_string(range.max),
                       *found));
  }
  return number;
}

std::optional<double> JsonReader::number(std::string_view name, double min, double max) {
  const Json* found = find(name);
  if (!found) return std::nullopt;
  if (found->is_number()) {
    const auto number = found->get<double>();
    if (number >= min && number <= max) return number;
  }
  fail(name, must_be("a number from " + Json(min).dump() + " to " + Json(max).dump(), *found));
  return std::nullopt;
}

std::optional<bool> JsonReader::boolean(std::string_view name) {
  const Json* found = find(name);
  if (!found) return std::nullopt;
  if (found->is_boolean()) return found->get<bool>();
  fail(name, must_be("true or false", *found));
  return std::nullopt;
}

std::optional<Duration> JsonReader::duration(std::string_view name, Duration min) {
  const std::optional<std::string> text = string(name);
  if (!text) return std::nullopt;
  const Result<Duration> parsed = parse_duration(*text);
  if (!parsed.ok()) {
    fail(name, parsed.error().message);
    return std::nullopt;
  }
  if (*parsed < min) {
    fail(name, "must be at least " + format_duration(min) + ", not " + in_quotes(*text));
    return std::nullopt;
  }
  return *parsed;
}

std::optional<Instant> JsonReader::instant(std::string_view name) {
  const std::optional<std::string> text = string(name);
  if (!text) return std::nullopt;
  const Result<Instant> parsed = parse_instant(*text);
  if (!parsed.ok()) {
    fail(name, parsed.error().message);
    return std::nullopt;
  }
  return *parsed;
}

const Json* JsonReader::value(std::string_view name) { return find(name); }

const Json* JsonReader::object(std::string_view name) {
  const Json* found = find(name);
  if (!found || found->is_object()) return found;
  fail(name, must_be("an object", *found));
  return nullptr;
}

const Json* JsonReader::array(std::string_view name) {
  const Json* found = find(name);
  if (!found || found->is_array()) return found;
  fail(name, must_be("an array", *found));
  return nullptr;
}

bool JsonReader::has(std::string_view name) const { return object_ && object_->contains(name); }

std::string JsonReader::path_of(std::string_view name) const {
  return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
}

void JsonReader::fail(Error error) {
  if (!failed()) status_ = Status(std::move(error));
}

void JsonReader::fail(std::string_view name, std::string message) {
  fail(invalid(path_of(name), std::move(message)));
}

Status JsonReader::finish() {
  if (failed()) return status_;
  for (const auto& [name, value] : object_->items()) {
    if (known_.contains(name)) continue;
    std::string message = "unknown field; known here:";
    for (const std::string& known : known_) message += " " + known;
    fail(clipped(name), std::move(message));
    break;
  }
  return status_;
}

}  // namespace escapement
