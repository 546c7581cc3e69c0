// CHECK: an assertion that stays on in production.
//
// A failed CHECK is a bug of ours, never bad input: it prints the condition with its place and
// aborts, because going on with a broken invariant could fire something twice. The durable store
// makes a crash safe: the next start recovers. Any thread.
#pragma once

namespace escapement {

[[noreturn]] void check_failed(const char* condition, const char* file, int line);

}  // namespace escapement

#define ESCAPEMENT_CHECK(condition)                               \
  do {                                                            \
    if (!(condition)) [[unlikely]] {                              \
      ::escapement::check_failed(#condition, __FILE__, __LINE__); \
    }                                                             \
  } while (false)
