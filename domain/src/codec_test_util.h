// Shorthand of the codec's tests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "escapement/domain/codec.h"

namespace escapement::domain {

inline Json json_of(std::string_view text) {
  const Result<Json> json = parse_json(text);
  EXPECT_TRUE(json.ok()) << text;
  return json.ok() ? *json : Json();
}

// "field: message" of the error, or "ok".
template <typename T>
std::string outcome(const T& result) {
  if (result.ok()) return "ok";
  EXPECT_EQ(result.error().code, ErrorCode::invalid);
  return result.error().field + ": " + result.error().message;
}

// A job whose schedule and target are right, with more fields: job_with(R"("timeout":"1s")").
inline Json job_with(const std::string& more) {
  return json_of(R"({"schedule":{"manual":true},"target":{"http":{"url":"http://h"}})" +
                 (more.empty() ? "" : "," + more) + "}");
}

inline Json job_with_schedule(const std::string& schedule) {
  return json_of(R"({"target":{"http":{"url":"http://h"}},"schedule":)" + schedule + "}");
}

// What reading and writing makes of a job.
inline Json rewritten(const Json& json) {
  const Result<JobSpec> spec = job_spec_from_json(json);
  EXPECT_TRUE(spec.ok()) << outcome(spec);
  return spec.ok() ? to_json(*spec) : Json();
}

}  // namespace escapement::domain
