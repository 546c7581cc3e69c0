// libFuzzer: no text makes a codec crash, and what was read is written and read back unchanged.
#include <cstddef>
#include <cstdint>

#include "escapement/domain/codec.h"

namespace escapement::domain {
namespace {

void check_job(const Json& json) {
  const Result<JobSpec> spec = job_spec_from_json(json);
  if (!spec.ok()) return;
  const Json written = to_json(*spec);
  const Result<JobSpec> again = job_spec_from_json(written);
  ESCAPEMENT_CHECK(again.ok());
  ESCAPEMENT_CHECK(to_json(*again) == written);
}

void check_timer(const Json& json) {
  const Result<TimerRequest> request = timer_request_from_json(json, "timers[0]");
  if (!request.ok()) return;
  const Json written = to_json(*request->spec);
  const Result<TimerSpec> again = timer_spec_from_json(written, "");
  ESCAPEMENT_CHECK(again.ok());
  ESCAPEMENT_CHECK(to_json(*again) == written);
  to_json_redacted(again->target);
}

}  // namespace
}  // namespace escapement::domain

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace escapement;
  const Result<Json> json = parse_json({reinterpret_cast<const char*>(data), size});
  if (!json.ok()) return 0;
  domain::check_job(*json);
  domain::check_timer(*json);
  (void)domain::timer_request_from_json(*json, "");
  (void)domain::trigger_request_from_json(*json);
  return 0;
}
