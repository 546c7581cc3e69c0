#include "escapement/targets/router.h"

#include "attempt_results.h"
#include "exec_runner.h"
#include "http_client.h"
#include "in_process_pool.h"

namespace escapement::targets {

Targets::Targets(TargetOptions options, Clock& clock, engine::ResultSink sink)
    : sink_(std::move(sink)) {
  if (options.allow_exec) {
    exec_ = std::make_unique<ExecRunner>(
        ExecOptions{.data_folder = options.data_folder, .kill_grace = options.kill_grace}, sink_);
  }
  http_ = std::make_unique<HttpClient>(
      HttpOptions{.allow_private_addresses = options.allow_private_addresses,
                  .ca_file = options.ca_file},
      clock, sink_);
  functions_ = std::make_unique<InProcessPool>(std::move(options.functions), sink_);
}

Targets::~Targets() { shutdown(); }

void Targets::start(engine::Dispatch dispatch) {
  ESCAPEMENT_CHECK(dispatch.target != nullptr);
  const domain::Target& target = *dispatch.target;
  if (std::holds_alternative<domain::HttpTarget>(target)) return http_->start(std::move(dispatch));
  if (std::holds_alternative<domain::InProcessTarget>(target)) {
    return functions_->start(std::move(dispatch));
  }
  if (!exec_) {
    return sink_(refused(dispatch.key, "exec targets are off: start the server with --allow-exec"));
  }
  exec_->start(std::move(dispatch));
}

void Targets::abort(engine::AttemptKey key) {
  if (exec_) exec_->abort(key);
  http_->abort(key);
  functions_->abort(key);
}

void Targets::shutdown() {
  http_->shutdown();
  if (exec_) exec_->shutdown();
  functions_->shutdown();
}

}  // namespace escapement::targets
