#include "codec_policy.h"

#include <algorithm>

namespace escapement::domain {
namespace {

constexpr Names<CatchUp, 3> kCatchUps{
    {{CatchUp::skip, "skip"}, {CatchUp::latest, "latest"}, {CatchUp::all, "all"}}};
constexpr Names<Overlap, 3> kOverlaps{
    {{Overlap::allow, "allow"}, {Overlap::skip, "skip"}, {Overlap::queue, "queue"}}};
constexpr Names<OnUnknown, 2> kOnUnknowns{{{OnUnknown::retry, "retry"}, {OnUnknown::fail, "fail"}}};
constexpr double kMaxFactor = 100;

// Hands a nested object, when it is there, to `read`, and its errors back.
template <typename Read>
void nested(JsonReader& reader, std::string_view name, Read read) {
  const Json* json = reader.value(name);
  if (!json) return;
  JsonReader inner(*json, reader.path_of(name));
  read(inner);
  if (const Status status = inner.finish(); !status.ok()) reader.fail(status.error());
}

void read_backoff(JsonReader& reader, RetryPolicy& retry) {
  assign(retry.initial, bounded_duration(reader, "initial", {}));
  assign(retry.factor, reader.number("factor", 1, kMaxFactor));
  retry.max = std::max(retry.max, retry.initial);
  assign(retry.max, bounded_duration(reader, "max", {retry.initial}));
  assign(retry.jitter, reader.number("jitter", 0, 1));
}

}  // namespace

std::optional<RetryPolicy> read_retry(JsonReader& reader) {
  RetryPolicy retry;
  nested(reader, "retry", [&](JsonReader& inner) {
    assign(retry.max_attempts, inner.integer("max_attempts", {1, kMaxAttempts}));
    nested(inner, "backoff", [&](JsonReader& backoff) { read_backoff(backoff, retry); });
    retry.max_age = bounded_duration(inner, "max_age", {1ms});
  });
  return retry;
}

std::optional<CatchUpPolicy> read_catch_up(JsonReader& reader) {
  CatchUpPolicy policy;
  nested(reader, "catch_up", [&](JsonReader& inner) {
    assign(policy.policy, choice(inner, "policy", kCatchUps));
    assign(policy.limit, inner.integer("limit", {1, kMaxCatchUp}));
  });
  return policy;
}

std::optional<OverlapPolicy> read_overlap(JsonReader& reader) {
  OverlapPolicy policy;
  nested(reader, "overlap", [&](JsonReader& inner) {
    assign(policy.policy, choice(inner, "policy", kOverlaps));
    assign(policy.limit, inner.integer("limit", {1, kMaxOverlapQueue}));
  });
  return policy;
}

std::optional<OnUnknown> read_on_unknown(JsonReader& reader) {
  return choice(reader, "on_unknown", kOnUnknowns);
}

Json to_json(const RetryPolicy& retry) {
  Json json{{"max_attempts", retry.max_attempts},
            {"backoff",
             {{"initial", format_duration(retry.initial)},
              {"factor", retry.factor},
              {"max", format_duration(retry.max)},
              {"jitter", retry.jitter}}}};
  if (retry.max_age) json["max_age"] = format_duration(*retry.max_age);
  return json;
}

Json to_json(const CatchUpPolicy& policy) {
  return {{"policy", name_of(kCatchUps, policy.policy)}, {"limit", policy.limit}};
}

Json to_json(const OverlapPolicy& policy) {
  return {{"policy", name_of(kOverlaps, policy.policy)}, {"limit", policy.limit}};
}

Json to_json(OnUnknown policy) { return name_of(kOnUnknowns, policy); }

}  // namespace escapement::domain
