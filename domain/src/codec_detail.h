// What the codecs share on top of JsonReader: nested results, bounded durations, closed sets of
// names. Every helper records its error in the reader and then answers nothing, so a codec reads
// all its fields in a row and asks `finish` once. Any thread.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "escapement/base/json.h"
#include "escapement/domain/job.h"

namespace escapement::domain {

// Moves the value out, or records the error as it is: its field already has the full path.
template <typename T>
std::optional<T> take(JsonReader& reader, Result<T> result) {
  if (result.ok()) return std::move(*result);
  reader.fail(result.error());
  return std::nullopt;
}

// A field that is absent leaves the default.
template <typename T>
void assign(T& to, std::optional<T> from) {
  if (from) to = std::move(*from);
}

struct DurationRange {
  Duration min{};
  Duration max = kMaxPeriod;
};
std::optional<Duration> bounded_duration(JsonReader& reader, std::string_view name,
                                         DurationRange range);

// What was sent, cut short; `shown` in quotes too.
std::string clipped(std::string_view text);
std::string shown(std::string_view text);

// A closed set of names for the values of an enum.
template <typename E, std::size_t N>
using Names = std::array<std::pair<E, std::string_view>, N>;

template <typename E, std::size_t N>
std::string_view name_of(const Names<E, N>& names, E value) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  ESCAPEMENT_CHECK(!"an enum without a name");
  return {};
}

template <typename E, std::size_t N>
std::optional<E> choice(JsonReader& reader, std::string_view field, const Names<E, N>& names) {
  const std::optional<std::string> text = reader.string(field);
  if (!text) return std::nullopt;
  std::string message = "must be one of";
  for (const auto& [value, name] : names) {
    if (name == *text) return value;
    message += " " + shown(name);
  }
  reader.fail(field, message + ", not " + shown(*text));
  return std::nullopt;
}

// A string as it is, or any other JSON value as its compact text.
struct Bytes {
  std::string text;
  bool is_json = false;
};
std::optional<Bytes> bytes_or_json(JsonReader& reader, std::string_view field);

// The fields that jobs and timers share; see codec_policy.cc and codec_timer.cc.
std::optional<RetryPolicy> read_retry(JsonReader& reader);
std::optional<Target> read_target(JsonReader& reader);
std::optional<Duration> read_timeout(JsonReader& reader);
Json to_json(const RetryPolicy& retry);

}  // namespace escapement::domain
