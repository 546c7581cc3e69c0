// The JSON form of a job's policies. Pure functions; any thread.
#pragma once

#include "codec_detail.h"

namespace escapement::domain {

std::optional<CatchUpPolicy> read_catch_up(JsonReader& reader);
std::optional<OverlapPolicy> read_overlap(JsonReader& reader);
std::optional<OnUnknown> read_on_unknown(JsonReader& reader);

Json to_json(const CatchUpPolicy& policy);
Json to_json(const OverlapPolicy& policy);
Json to_json(OnUnknown policy);

}  // namespace escapement::domain
