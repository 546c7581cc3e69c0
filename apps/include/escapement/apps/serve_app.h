// ServeApp: a whole server in one object: store, engine, targets and API, wired and running.
//
// It decides nothing: it opens the data folder, connects the rooms and takes them apart in the
// right order. `escapement serve` adds signals; a test starts one in its own process on port 0.
// Start and stop from one thread.
//
//   auto app = ServeApp::start({.data = folder, .listen = "127.0.0.1:0"}, {clock, "", out});
//   if (!app.ok()) return app.error();
//   (*app)->url();                     // "http://127.0.0.1:34567"
//   (*app)->stop();                    // drains, at most the option's time
#pragma once

#include <iosfwd>
#include <memory>
#include <string>

#include "escapement/base/clock.h"
#include "escapement/base/result.h"

namespace escapement::apps {

struct ServeOptions {
  std::string data = "./escapement-data";
  std::string listen = "127.0.0.1:7070";  // HOST:PORT, IPv6 in brackets; port 0 picks a free one
  bool allow_exec = false;
  bool insecure = false;  // listen beyond loopback without TLS
  bool print_runs = false;
  Duration drain = std::chrono::seconds{5};
};

// What a server needs of its surroundings.
struct ServeWorld {
  Clock& clock;       // the engine's thread waits on it
  std::string token;  // of the environment; "": the data folder's file
  std::ostream& out;  // print_runs goes here, from a thread of its own
};

class ServeApp {
 public:
  // Errors name the option: "listen" (`invalid`: malformed or beyond loopback; else the port is
  // taken), "data" (the folder cannot be made or opened, or another server has it), "token".
  static Result<std::unique_ptr<ServeApp>> start(const ServeOptions& options, ServeWorld world);

  // Stops, if nobody did.
  ~ServeApp();

  const std::string& url() const;
  // Where the token comes from, for people: a path or "ESCAPEMENT_TOKEN".
  const std::string& token_source() const;

  // No new work from now on; waits up to `drain` for what is in flight. Idempotent.
  void stop();

 private:
  class Impl;
  explicit ServeApp(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace escapement::apps
