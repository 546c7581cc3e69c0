// libFuzzer: no method, target or body makes the router or its codecs crash. The input is
// "<method> <target>\n<body>".
#include <cstddef>
#include <cstdint>

#include "fake_engine.h"
#include "router.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace escapement;
  static const api::Router router{
      api::ServerOptions{.token = "t", .store_name = api::kStore, .allow_exec = true}};
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string_view line = input.substr(0, input.find('\n'));
  const std::size_t space = line.find(' ');
  if (space == std::string_view::npos) return 0;
  api::Request request{.method = std::string(line.substr(0, space)),
                       .target = std::string(line.substr(space + 1)),
                       .headers = {{"Host", "localhost"},
                                   {"Authorization", "Bearer t"},
                                   {"Content-Type", "application/json"}}};
  if (line.size() < input.size()) request.body = input.substr(line.size() + 1);
  const api::Outcome outcome = router.handle(request);
  const auto* call = std::get_if<api::Call>(&outcome);
  if (call) ESCAPEMENT_CHECK(router.respond(*call, api::yes(call->command)).status < 500);
  return 0;
}
