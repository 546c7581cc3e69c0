// Runs http attempts: one io thread serves all connections.
//
// `start` and `abort` only enqueue; any thread. The sink is called by the io thread. Name lookups
// have one more thread (Asio's), so a slow name server delays other new names but nothing else.
#pragma once

#include <memory>
#include <string>

#include "escapement/base/clock.h"
#include "escapement/engine/target_port.h"

namespace escapement::targets {

struct HttpOptions {
  bool allow_private_addresses = false;
  std::string ca_file;
};

class HttpClient {
 public:
  HttpClient(const HttpOptions& options, Clock& clock, engine::ResultSink sink);
  ~HttpClient();

  void start(engine::Dispatch dispatch);
  void abort(engine::AttemptKey key);
  // Answers all attempts, closes all connections, ends the thread.
  void shutdown();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace escapement::targets
