// The client verbs' way to a server: where it is, who we are, what its answers mean.
//
// The address comes from --server, else ESCAPEMENT_SERVER, else the data folder's file `address`,
// else http://127.0.0.1:7070; the token from ESCAPEMENT_TOKEN, else the data folder's file `token`.
// An answer other than 2xx becomes a Failure with the exit status that fits. One thread.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "escapement/apps/run_cli.h"
#include "escapement/base/json.h"
#include "http_client.h"

namespace escapement::apps {

struct ServerOptions {
  std::string server;
  std::string data;
  std::string app = "default";
  bool json = false;
};

// Why a call did not succeed: the exit status, one line for people, and the server's JSON.
struct Failure {
  int exit_code = 0;
  std::string message;
  Json body;
};

class ApiClient {
 public:
  // Error: `invalid` for a malformed address or token.
  static Result<ApiClient> open(const ServerOptions& options, const Console& console);

  using Answer = std::variant<Json, Failure>;
  Answer get(const std::string& path) const { return call({"GET", path, token_, {}}); }
  Answer put(const std::string& path, const Json& body) const;
  Answer post(const std::string& path, const Json& body) const;
  Answer remove(const std::string& path) const { return call({"DELETE", path, token_, {}}); }

 private:
  ApiClient(ServerAddress address, std::string token)
      : address_(std::move(address)), token_(std::move(token)) {}
  Answer call(const HttpCall& call) const;

  ServerAddress address_;
  std::string token_;
};

// Writes the failure (with --json the server's own JSON goes to stdout) and answers its status.
int report(Console& console, const Failure& failure, bool json);

// Opens a client, calls, and prints what came: as JSON, or with `print` for people.
struct ApiVerb {
  const ServerOptions& server;
  std::function<ApiClient::Answer(const ApiClient&)> call;
  std::function<void(const Json&)> print;
};
int run_api_verb(Console& console, const ApiVerb& verb);

// ---- where things are -------------------------------------------------------------------------

std::string job_path(const std::string& app, const std::string& name);
std::string timer_path(const std::string& app, const std::string& key);
std::string run_path(const std::string& id);

// "/api/v1/jobs?app=default&limit=100": empty values are left out.
using Query = std::vector<std::pair<std::string, std::string>>;
std::string list_path(const std::string& things, const Query& query);

// The text of a field for a table: "" when absent or null, numbers and booleans as JSON has them.
std::string text_of(const Json& object, const std::string& field);

}  // namespace escapement::apps
