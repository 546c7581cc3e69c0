// Small helpers of the parse*.cc files; includes CLI11.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <string>
#include <utility>

#include "parse.h"

namespace escapement::apps {

// A verb whose options live until it runs: `declare` binds them, `run` takes them.
template <typename Options>
struct VerbSpec {
  std::string name;
  std::string summary;
  std::string examples;
  int (*run)(const Options&, Console&);
};

template <typename Options>
std::pair<CLI::App*, std::shared_ptr<Options>> add_verb(CLI::App& parent, ParseState& state,
                                                        const VerbSpec<Options>& spec) {
  CLI::App* verb = parent.add_subcommand(spec.name, spec.summary);
  auto options = std::make_shared<Options>();
  if (!spec.examples.empty()) verb->footer("Examples:\n" + spec.examples);
  verb->callback([&state, options, run = spec.run] {
    state.verb = [options, run](Console& console) { return run(*options, console); };
  });
  return {verb, options};
}

}  // namespace escapement::apps
