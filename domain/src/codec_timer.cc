// Durable one-shot timers and triggers as JSON.
#include "codec_detail.h"
#include "escapement/domain/codec.h"

namespace escapement::domain {
namespace {

std::optional<TimerSpec> read_timer_spec(JsonReader& reader) {
  std::optional<Target> target = read_target(reader);
  if (!target) return std::nullopt;
  TimerSpec spec{.target = std::move(*target)};
  assign(spec.retry, read_retry(reader));
  assign(spec.timeout, read_timeout(reader));
  return spec;
}

// Inside a batch each timer names its key; alone, the key stands in the URL.
void read_key(JsonReader& reader, TimerRequest& request) {
  request.key = reader.string("key").value_or("");
  const Status named = check_name(request.key, reader.path_of("key"));
  if (!named.ok()) reader.fail(named.error());
}

void read_when(JsonReader& reader, TimerRequest& request) {
  request.in = bounded_duration(reader, "in", {});
  request.at = reader.instant("at");
  if (request.in && request.at) reader.fail("at", "must not stand beside \"in\"");
  if (!request.in && !request.at) reader.fail("in", "is required: either \"in\" or \"at\"");
}

}  // namespace

Result<TimerSpec> timer_spec_from_json(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  std::optional<TimerSpec> spec = read_timer_spec(reader);
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  return std::move(*spec);
}

Json to_json(const TimerSpec& spec) {
  return {{"target", to_json(spec.target)},
          {"retry", to_json(spec.retry)},
          {"timeout", format_duration(spec.timeout)}};
}

Result<TimerRequest> timer_request_from_json(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  TimerRequest request;
  const bool in_batch = !path.empty();
  if (in_batch) read_key(reader, request);
  read_when(reader, request);
  std::optional<TimerSpec> spec = read_timer_spec(reader);
  assign(request.reuse, reader.boolean("reuse"));
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  request.spec = std::make_shared<const TimerSpec>(std::move(*spec));
  return request;
}

Result<TriggerRequest> trigger_request_from_json(const Json& json) {
  JsonReader reader(json, "");
  TriggerRequest request;
  assign(request.in, bounded_duration(reader, "in", {}));
  if (std::optional<Bytes> payload = bytes_or_json(reader, "payload")) {
    request.payload = std::move(payload->text);
  }
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  return request;
}

}  // namespace escapement::domain
