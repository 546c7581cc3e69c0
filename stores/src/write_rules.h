// What every store says alike: which mutations make no sense in any state, the texts of refusals,
// and how an outcome is counted.
//
// A store keeps only `planned` and the terminal states, and a finish time exactly on terminal
// runs; a mutation that breaks this is `invalid`. Pure functions; any thread.
#pragma once

#include "escapement/base/result.h"
#include "escapement/engine/store_port.h"

namespace escapement::stores {

// `invalid` with the offending field, or success.
Status check_mutation(const engine::Mutation& mutation);
Status check_timer_keys(const engine::FindTimers& request);

Error fenced_error(domain::Term given, domain::Term current);
Error job_exists_error();
Error job_changed_error(domain::JobId id);
Error run_exists_error();
Error run_changed_error(domain::RunId id);
Error key_of_live_run_error(domain::RunId id);

// One run in this state, as counts: {produced 0, succeeded 1} for succeeded; nothing when live.
domain::Counters outcome_counts(domain::RunState state, std::int64_t runs = 1);

}  // namespace escapement::stores
