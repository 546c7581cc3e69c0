#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>

#include "escapement/apps/run_cli.h"

namespace {

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string text(*entry);
    std::size_t equals = text.find('=');
    if (equals != std::string::npos) variables[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return variables;
}

}  // namespace

int main(int argc, char** argv) try {
  std::ios::sync_with_stdio(false);
  auto clock = escapement::make_system_clock();
  escapement::apps::Console console{.in = std::cin,
                                    .out = std::cout,
                                    .err = std::cerr,
                                    .env = environment(),
                                    .clock = *clock,
                                    .in_is_terminal = ::isatty(STDIN_FILENO) == 1};
  return escapement::apps::run_cli({argv + 1, argv + argc}, console);
} catch (const std::exception& error) {
  std::fprintf(stderr, "escapement: internal error: %s\n", error.what());
  return escapement::apps::kExitInternal;
}
