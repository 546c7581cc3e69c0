#include "api_client.h"

#include <ostream>

#include "console.h"
#include "data_folder.h"

namespace escapement::apps {
namespace {

constexpr JsonLimits kAnswerLimits{.bytes = kMaxAnswerBytes, .depth = 64};

std::string first_of(std::string a, const std::string& b) { return a.empty() ? b : a; }

int exit_code_of_status(int status) {
  switch (status) {
    case 400:
    case 405:
    case 411:
    case 413:
    case 414:
    case 415:
    case 422:
      return kExitUsage;
    case 401:
    case 403:
      return kExitDenied;
    case 404:
      return kExitNotFound;
    case 409:
    case 412:
      return kExitConflict;
    default:
      return kExitFailed;
  }
}

// {"error": {"code", "message", "field"}}, or whatever a proxy says.
std::string message_of(int status, const Json& body) {
  const std::string fallback = "the server answered " + std::to_string(status);
  if (!body.is_object() || !body.contains("error") || !body["error"].is_object()) return fallback;
  const Json& error = body["error"];
  const std::string field = text_of(error, "field");
  const std::string message = first_of(text_of(error, "message"), fallback);
  return field.empty() ? message : field + ": " + message;
}

}  // namespace

Result<ApiClient> ApiClient::open(const ServerOptions& options, const Console& console) {
  const std::string folder = first_of(options.data, kDefaultDataFolder);
  std::string url = first_of(options.server, console.variable("ESCAPEMENT_SERVER"));
  url = first_of(url, first_line_of(address_path(folder)));
  Result<ServerAddress> address =
      parse_server_url(first_of(url, std::string("http://") + kDefaultListen));
  if (!address.ok()) return address.error();
  std::string token =
      first_of(console.variable("ESCAPEMENT_TOKEN"), first_line_of(token_path(folder)));
  if (!token.empty()) {
    if (Status good = check_token(token); !good.ok()) return good.error();
  }
  return ApiClient(*address, std::move(token));
}

ApiClient::Answer ApiClient::put(const std::string& path, const Json& body) const {
  return call({"PUT", path, token_, dump_json(body)});
}

ApiClient::Answer ApiClient::post(const std::string& path, const Json& body) const {
  return call({"POST", path, token_, dump_json(body)});
}

ApiClient::Answer ApiClient::call(const HttpCall& call) const {
  Result<HttpAnswer> answer = http_call(address_, call);
  if (!answer.ok()) return Failure{kExitUnreachable, answer.error().message, {}};
  Result<Json> body =
      answer->body.empty() ? Result<Json>(Json::object()) : parse_json(answer->body, kAnswerLimits);
  if (answer->status >= 200 && answer->status < 300) {
    if (body.ok()) return *body;
    return Failure{kExitFailed, "the server's answer is no JSON: " + body.error().message, {}};
  }
  Json details = body.ok() ? *body : Json();
  std::string message = message_of(answer->status, details);
  if (answer->status == 401 && call.token.empty()) {
    message += " (no token: set ESCAPEMENT_TOKEN, or name the server's data folder with --data)";
  }
  return Failure{exit_code_of_status(answer->status), std::move(message), std::move(details)};
}

int report(Console& console, const Failure& failure, bool json) {
  if (json && !failure.body.is_null()) console.out << dump_json(failure.body) << '\n';
  console.err << "escapement: " << one_line(failure.message) << '\n';
  return failure.exit_code;
}

int run_api_verb(Console& console, const ApiVerb& verb) {
  Result<ApiClient> client = ApiClient::open(verb.server, console);
  if (!client.ok()) return report(console, client.error());
  ApiClient::Answer answer = verb.call(*client);
  if (auto* failure = std::get_if<Failure>(&answer)) {
    return report(console, *failure, verb.server.json);
  }
  const Json& body = std::get<Json>(answer);
  if (verb.server.json) {
    console.out << dump_json(body) << '\n';
  } else {
    verb.print(body);
  }
  return kExitFine;
}

std::string job_path(const std::string& app, const std::string& name) {
  return "/api/v1/apps/" + url_encoded(app) + "/jobs/" + url_encoded(name);
}

std::string timer_path(const std::string& app, const std::string& key) {
  return "/api/v1/apps/" + url_encoded(app) + "/timers/" + url_encoded(key);
}

std::string run_path(const std::string& id) { return "/api/v1/runs/" + url_encoded(id); }

std::string list_path(const std::string& things, const Query& query) {
  std::string path = "/api/v1/" + things;
  char separator = '?';
  for (const auto& [name, value] : query) {
    if (value.empty()) continue;
    path += separator + name + '=' + url_encoded(value);
    separator = '&';
  }
  return path;
}

std::string text_of(const Json& object, const std::string& field) {
  if (!object.is_object()) return {};
  auto found = object.find(field);
  if (found == object.end() || found->is_null()) return {};
  return found->is_string() ? found->get<std::string>() : dump_json(*found);
}

}  // namespace escapement::apps
