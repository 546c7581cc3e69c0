#include "escapement/domain/run.h"

namespace escapement::domain {

Counters& Counters::operator+=(const Counters& other) {
  produced += other.produced;
  succeeded += other.succeeded;
  failed += other.failed;
  cancelled += other.cancelled;
  skipped += other.skipped;
  return *this;
}

}  // namespace escapement::domain
