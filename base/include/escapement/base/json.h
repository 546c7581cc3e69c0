// JSON as the house reads it: limits before parsing, duplicate keys refused, every error with the
// path of its field.
//
// `parse_json` answers `invalid` for malformed text, for nesting deeper than `JsonLimits::depth`,
// for text longer than `JsonLimits::bytes` and for a key that occurs twice in one object.
// `JsonReader` then walks an object field by field and refuses whatever nobody asked for, by name:
//
//   JsonReader reader(json, "retry");                    // path "retry"
//   std::optional<std::int64_t> n = reader.integer("max_attempts", {1, 100});
//   Status status = reader.finish();                     // first error, or unknown fields
//
// Values; one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "escapement/base/result.h"
#include "escapement/base/time.h"

namespace escapement {

using Json = nlohmann::json;

struct JsonLimits {
  std::size_t bytes = 1 << 20;
  std::size_t depth = 32;
};

Result<Json> parse_json(std::string_view text, JsonLimits limits = {});

// Compact text; invalid UTF-8 is replaced, never thrown.
std::string dump_json(const Json& json);

struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = INT64_MAX;
};

// Reads one JSON object. The first error sticks; later reads answer nothing. Each reader returns
// nullopt when the field is absent (or after an error); `null` counts as a wrong type.
class JsonReader {
 public:
  // `path` is the prefix of field names in errors: "" at the top, "retry" or "timers[3]" below.
  JsonReader(const Json& object, std::string path);

  std::optional<std::string> string(std::string_view name, std::size_t max_bytes = 4096);
  std::optional<std::int64_t> integer(std::string_view name, IntegerRange range = {});
  std::optional<double> number(std::string_view name, double min, double max);
  std::optional<bool> boolean(std::string_view name);
  // A duration text such as "30s", at least `min`.
  std::optional<Duration> duration(std::string_view name, Duration min = Duration::zero());
  std::optional<Instant> instant(std::string_view name);
  // The raw value; nullptr when absent. Marks the field as known.
  const Json* value(std::string_view name);
  // The value when it is an object or array; nullptr when absent; an error for another type.
  const Json* object(std::string_view name);
  const Json* array(std::string_view name);

  bool has(std::string_view name) const;
  // The full path of a field, for errors of the caller's own.
  std::string path_of(std::string_view name) const;
  // Records an error, unless there was one before.
  void fail(Error error);
  void fail(std::string_view name, std::string message);
  bool failed() const { return !status_.ok(); }

  // The first error, or the first unknown field ("unknown field"), or success.
  Status finish();

 private:
  const Json* find(std::string_view name);

  const Json* object_ = nullptr;
  std::string path_;
  std::set<std::string, std::less<>> known_;
  Status status_;
};

}  // namespace escapement
