#include "codec_detail.h"

#include "escapement/domain/codec.h"

namespace escapement::domain {
namespace {

constexpr std::size_t kMaxShownBytes = 64;

}  // namespace

std::string clipped(std::string_view text) {
  if (text.size() <= kMaxShownBytes) return std::string(text);
  return std::string(text.substr(0, kMaxShownBytes)) + "...";
}

std::string shown(std::string_view text) { return "\"" + clipped(text) + "\""; }

std::optional<Duration> bounded_duration(JsonReader& reader, std::string_view name,
                                         DurationRange range) {
  const std::optional<Duration> value = reader.duration(name, range.min);
  if (!value || *value <= range.max) return value;
  reader.fail(name,
              "must be at most " + format_duration(range.max) + ", not " + format_duration(*value));
  return std::nullopt;
}

std::optional<Bytes> bytes_or_json(JsonReader& reader, std::string_view field) {
  const Json* value = reader.value(field);
  if (!value) return std::nullopt;
  Bytes bytes{.text = value->is_string() ? value->get<std::string>() : dump_json(*value),
              .is_json = !value->is_string()};
  if (bytes.text.size() <= kMaxPayloadBytes) return bytes;
  reader.fail(field, "must have at most " + std::to_string(kMaxPayloadBytes) + " bytes, not " +
                         std::to_string(bytes.text.size()));
  return std::nullopt;
}

std::optional<Target> read_target(JsonReader& reader) {
  const Json* json = reader.value("target");
  if (json) return take(reader, target_from_json(*json, reader.path_of("target")));
  reader.fail("target", "is required");
  return std::nullopt;
}

std::optional<Duration> read_timeout(JsonReader& reader) {
  return bounded_duration(reader, "timeout", {1ms, kMaxTimeout});
}

}  // namespace escapement::domain
