#include "all.h"

namespace escapement::simulation {

Checkers make_checkers(const CheckerContext& context) {
  Checkers checkers;
  for (const auto make : {make_acknowledged, make_never_early, make_occurrences, make_attempts,
                          make_terms, make_liveness, make_transitions, make_catch_up, make_bounds,
                          make_cancel, make_conservation, make_policies, make_rare_states}) {
    checkers.push_back(make(context));
  }
  return checkers;
}

}  // namespace escapement::simulation
