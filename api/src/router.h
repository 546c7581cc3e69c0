// Router: from a request to what is to be done about it.
//
// The head is judged first, in this order: size, Host and Origin, token, route, method, kind of
// body. Only then is a body worth reading. Immutable; any thread.
#pragma once

#include <cstddef>
#include <variant>

#include "gate.h"
#include "handlers.h"

namespace escapement::api {

class Router {
 public:
  explicit Router(ServerOptions options);

  // What can be said without the body: a refusal, or how many bytes the body may have.
  std::variant<Response, std::size_t> judge(const Request& head) const;

  // Judges, and handles. Never throws.
  Outcome handle(const Request& request) const;

  // The response to an engine's reply.
  Response respond(const Call& call, const engine::Reply& reply) const;

  const ServerOptions& options() const { return options_; }

 private:
  std::optional<Response> refuse_size(const Request& head) const;

  ServerOptions options_;
  Gate gate_;
};

}  // namespace escapement::api
