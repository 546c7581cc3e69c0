// Targets as JSON, written: in full for the owner, redacted for logs.
#include "escapement/domain/codec.h"
#include "secret_name.h"

namespace escapement::domain {
namespace {

constexpr std::string_view kHidden = "***";

// A JSON body comes back as the JSON it was.
Json body_to_json(const HttpTarget& target) {
  if (!target.body_is_json) return target.body;
  const Result<Json> body = parse_json(target.body, {.bytes = kMaxPayloadBytes});
  return body.ok() ? *body : Json(target.body);
}

Json headers_to_json(const HttpTarget& target) {
  Json headers = Json::object();
  for (const auto& [name, value] : target.headers) headers[name] = value;
  return headers;
}

struct Writer {
  Json operator()(const HttpTarget& target) const {
    return {{"http",
             {{"method", target.method},
              {"url", target.url},
              {"headers", headers_to_json(target)},
              {"body", body_to_json(target)}}}};
  }
  Json operator()(const ExecTarget& target) const {
    return {{"exec",
             {{"argv", target.argv},
              {"stdin", target.stdin_text},
              {"env", target.environment},
              {"cwd", target.working_directory},
              {"user", target.user}}}};
  }
  Json operator()(const InProcessTarget& target) const {
    return {{"in_process", {{"name", target.name}, {"payload", target.payload}}}};
  }
};

struct Redactor {
  void operator()(HttpTarget& target) const {
    target.url = without_credentials(target.url);
    for (auto& [name, value] : target.headers) {
      if (is_secret_name(name)) value = kHidden;
    }
  }
  void operator()(ExecTarget& target) const {
    for (auto& [name, value] : target.environment) {
      if (is_secret_name(name)) value = kHidden;
    }
  }
  void operator()(InProcessTarget&) const {}
};

}  // namespace

Json to_json(const Target& target) { return std::visit(Writer{}, target); }

Json to_json_redacted(const Target& target) {
  Target redacted = target;
  std::visit(Redactor{}, redacted);
  return to_json(redacted);
}

}  // namespace escapement::domain
