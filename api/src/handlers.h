// What each route does: a request becomes an engine command and a function that turns the reply
// into the response; or, when something is wrong with it, a response at once. Pure functions; any
// thread.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "escapement/api/server.h"
#include "message.h"
#include "target.h"

namespace escapement::api {

struct Call {
  engine::CommandBody command;
  // Of a reply that is no error.
  std::function<Response(const engine::ReplyBody&)> respond;
};
using Outcome = std::variant<Response, Call>;

struct Context {
  const ServerOptions& options;
  const Request& request;
  std::vector<std::string> names;  // the path's {} in order, decoded
  std::map<std::string, std::string> query;
};
using Handler = Outcome (*)(const Context&);

Outcome put_job(const Context& context);
Outcome get_job(const Context& context);
Outcome delete_job(const Context& context);
Outcome list_jobs(const Context& context);
Outcome trigger_job(const Context& context);
Outcome pause_job(const Context& context);
Outcome resume_job(const Context& context);

Outcome put_timer(const Context& context);
Outcome put_timers(const Context& context);
Outcome get_timer(const Context& context);
Outcome delete_timer(const Context& context);
Outcome list_timers(const Context& context);

Outcome list_runs(const Context& context);
Outcome get_run(const Context& context);

Outcome healthz(const Context& context);
Outcome readyz(const Context& context);
Outcome metrics(const Context& context);

}  // namespace escapement::api
