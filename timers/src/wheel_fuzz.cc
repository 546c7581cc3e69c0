// libFuzzer drives the wheel against a sorted list: the first difference aborts with the input.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "wheel_differential.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string difference = escapement::timers::Differential(data, size).run();
  if (difference.empty()) return 0;
  std::fprintf(stderr, "wheel and sorted list differ: %s\n", difference.c_str());
  std::abort();
}
