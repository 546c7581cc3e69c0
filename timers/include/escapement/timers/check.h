// CHECK of the timer library: an assertion that stays on in production.
//
// The library stands on the standard library alone, so it brings its own. A failed CHECK is a
// bug (in the library, or in a caller that broke a stated rule): it prints the condition with its
// place and aborts, because a wheel with a broken invariant could fire twice or never. Any thread.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace escapement::timers {

[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
  std::fflush(stderr);
  std::abort();
}

}  // namespace escapement::timers

#define ESCAPEMENT_TIMERS_CHECK(condition)                                \
  do {                                                                    \
    if (!(condition)) [[unlikely]] {                                      \
      ::escapement::timers::check_failed(#condition, __FILE__, __LINE__); \
    }                                                                     \
  } while (false)
