// Targets as JSON: what a user may ask a server to send or start, with every limit checked here.
#include <algorithm>
#include <cctype>

#include "codec_detail.h"
#include "escapement/domain/codec.h"
#include "secret_name.h"

namespace escapement::domain {
namespace {

constexpr std::array<std::string_view, 7> kMethods{"GET",   "HEAD",   "POST",   "PUT",
                                                   "PATCH", "DELETE", "OPTIONS"};
// The connection's own; a user's value would contradict what is sent.
constexpr std::array<std::string_view, 4> kFramingHeaders{"connection", "content-length",
                                                          "transfer-encoding", "upgrade"};
constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::size_t kMaxUserBytes = 256;
constexpr std::size_t kMaxHeaderNameBytes = 256;
constexpr std::size_t kMaxVariableNameBytes = 256;

// ---- http ---------------------------------------------------------------------------------------

bool is_token_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) ||
         std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

std::string what_is_wrong_with_header(const std::string& name) {
  if (name.size() > kMaxHeaderNameBytes) return "is longer than a header's name may be: 256 bytes";
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_token_char)) {
    return "is no header name; allowed are letters, digits and !#$%&'*+-.^_`|~";
  }
  const auto& framing = kFramingHeaders;
  if (std::find(framing.begin(), framing.end(), lower_case(name)) != framing.end()) {
    return "is set by the server itself";
  }
  return {};
}

bool is_header_value(const std::string& value) {
  return std::none_of(value.begin(), value.end(),
                      [](char c) { return is_control(c) && c != '\t'; });
}

using Header = std::pair<std::string, std::string>;

// Names differ only in case: which one would be sent?
bool holds(const std::vector<Header>& headers, const std::string& name) {
  return std::any_of(headers.begin(), headers.end(), [&](const Header& header) {
    return lower_case(header.first) == lower_case(name);
  });
}

void check_header_sizes(JsonReader& reader, const std::vector<Header>& headers) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : headers) bytes += name.size() + value.size();
  if (headers.size() > kMaxHeaders) {
    reader.fail("headers", "must be at most " + std::to_string(kMaxHeaders) + ", not " +
                               std::to_string(headers.size()));
  }
  if (bytes > kMaxHeaderBytes) {
    reader.fail("headers", "must have at most " + std::to_string(kMaxHeaderBytes) +
                               " bytes together, not " + std::to_string(bytes));
  }
}

std::vector<Header> read_headers(JsonReader& reader) {
  std::vector<Header> headers;
  const Json* json = reader.object("headers");
  if (!json) return headers;
  JsonReader names(*json, reader.path_of("headers"));
  for (const auto& item : json->items()) {
    const std::string& name = item.key();
    if (std::string wrong = what_is_wrong_with_header(name); !wrong.empty()) {
      names.fail(clipped(name), std::move(wrong));
    }
    if (holds(headers, name)) names.fail(name, "occurs twice, in different cases");
    const std::string value = names.string(name, kMaxHeaderBytes).value_or("");
    if (!is_header_value(value)) names.fail(name, "must not contain control characters");
    if (names.failed()) break;
    headers.emplace_back(name, value);
  }
  if (const Status status = names.finish(); !status.ok()) reader.fail(status.error());
  check_header_sizes(reader, headers);
  return headers;
}

std::string what_is_wrong_with_url(std::string_view url) {
  const bool plain = url.starts_with("http://");
  if (!plain && !url.starts_with("https://")) return "must begin with http:// or https://";
  const std::string_view rest = url.substr(plain ? 7 : 8);
  if (rest.empty() || std::string_view("/?#:").find(rest.front()) != std::string_view::npos) {
    return "must name a host";
  }
  const auto bad = [](char c) { return is_control(c) || c == ' ' || c == '\\'; };
  if (std::any_of(url.begin(), url.end(), bad)) {
    return "must not contain spaces, backslashes or control characters; percent-encode them";
  }
  return {};
}

void read_url(JsonReader& reader, HttpTarget& target) {
  const std::optional<std::string> url = reader.string("url", kMaxUrlBytes);
  if (!url) return reader.fail("url", "is required");
  if (std::string wrong = what_is_wrong_with_url(*url); !wrong.empty()) {
    reader.fail("url", wrong + "; it is " + shown(*url));
  }
  target.url = *url;
}

void read_method(JsonReader& reader, HttpTarget& target) {
  assign(target.method, reader.string("method"));
  if (std::find(kMethods.begin(), kMethods.end(), target.method) == kMethods.end()) {
    reader.fail("method", "must be GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS, not " +
                              shown(target.method));
  }
}

Result<Target> http_from_json(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  HttpTarget target;
  read_method(reader, target);
  read_url(reader, target);
  target.headers = read_headers(reader);
  if (std::optional<Bytes> body = bytes_or_json(reader, "body")) {
    target.body = std::move(body->text);
    target.body_is_json = body->is_json;
  }
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  return Target(std::move(target));
}

// ---- exec ---------------------------------------------------------------------------------------

bool has_nul(std::string_view text) { return text.find('\0') != std::string_view::npos; }

std::optional<std::string> string_without_nul(JsonReader& reader, std::string_view name,
                                              std::size_t max_bytes) {
  std::optional<std::string> text = reader.string(name, max_bytes);
  if (text && has_nul(*text)) reader.fail(name, "must not contain a zero byte");
  return text;
}

std::string what_is_wrong_with_argument(const Json& argument, bool first) {
  if (!argument.is_string()) return "must be a string";
  const auto& text = argument.get_ref<const std::string&>();
  if (first && text.empty()) return "must name a program";
  return has_nul(text) ? "must not contain a zero byte" : "";
}

void read_argv(JsonReader& reader, ExecTarget& target) {
  const Json* json = reader.array("argv");
  if (!json || json->empty())
    return reader.fail("argv", "is required: the program and its arguments");
  if (json->size() > kMaxArgv) {
    return reader.fail("argv", "must have at most " + std::to_string(kMaxArgv) + " items, not " +
                                   std::to_string(json->size()));
  }
  std::size_t bytes = 0;
  for (const Json& argument : *json) {
    const std::string item = "argv[" + std::to_string(target.argv.size()) + "]";
    std::string wrong = what_is_wrong_with_argument(argument, target.argv.empty());
    if (!wrong.empty()) return reader.fail(item, std::move(wrong));
    target.argv.push_back(argument.get<std::string>());
    bytes += target.argv.back().size() + 1;
  }
  if (bytes > kMaxArgvBytes) {
    reader.fail("argv", "must have at most " + std::to_string(kMaxArgvBytes) +
                            " bytes together, not " + std::to_string(bytes));
  }
}

void check_environment_sizes(JsonReader& reader, const ExecTarget& target) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : target.environment) bytes += name.size() + value.size() + 2;
  if (target.environment.size() > kMaxEnvironment) {
    reader.fail("env", "must have at most " + std::to_string(kMaxEnvironment) + " names, not " +
                           std::to_string(target.environment.size()));
  }
  if (bytes > kMaxArgvBytes) {
    reader.fail("env", "must have at most " + std::to_string(kMaxArgvBytes) +
                           " bytes together, not " + std::to_string(bytes));
  }
}

bool is_variable_name(const std::string& name) {
  return !name.empty() && name.size() <= kMaxVariableNameBytes && !has_nul(name) &&
         name.find('=') == std::string::npos;
}

void read_environment(JsonReader& reader, ExecTarget& target) {
  const Json* json = reader.object("env");
  if (!json) return;
  JsonReader names(*json, reader.path_of("env"));
  for (const auto& item : json->items()) {
    const std::string& name = item.key();
    if (!is_variable_name(name)) {
      names.fail(clipped(name),
                 "is no name of a variable: empty, above 256 bytes, with '=' or NUL");
      break;
    }
    if (auto value = string_without_nul(names, name, kMaxArgvBytes)) {
      target.environment[name] = std::move(*value);
    }
  }
  if (const Status status = names.finish(); !status.ok()) reader.fail(status.error());
  check_environment_sizes(reader, target);
}

void read_place(JsonReader& reader, ExecTarget& target) {
  assign(target.working_directory, string_without_nul(reader, "cwd", kMaxPathBytes));
  assign(target.user, string_without_nul(reader, "user", kMaxUserBytes));
  if (!target.working_directory.empty() && !target.working_directory.starts_with('/')) {
    reader.fail("cwd", "must be an absolute path, not " + shown(target.working_directory));
  }
}

Result<Target> exec_from_json(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  ExecTarget target;
  read_argv(reader, target);
  assign(target.stdin_text, reader.string("stdin", kMaxPayloadBytes));
  read_environment(reader, target);
  read_place(reader, target);
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  return Target(std::move(target));
}

// ---- in process ---------------------------------------------------------------------------------

Result<Target> in_process_from_json(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  InProcessTarget target;
  target.name = reader.string("name").value_or("");
  if (std::optional<Bytes> payload = bytes_or_json(reader, "payload")) {
    target.payload = std::move(payload->text);
  }
  const Status named = check_name(target.name, reader.path_of("name"));
  if (!named.ok()) reader.fail(named.error());
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  return Target(std::move(target));
}

}  // namespace

Result<Target> target_from_json(const Json& json, const std::string& path) {
  JsonReader reader(json, path);
  const Json* http = reader.value("http");
  const Json* exec = reader.value("exec");
  const Json* in_process = reader.value("in_process");
  if (const Status status = reader.finish(); !status.ok()) return status.error();
  if ((http != nullptr) + (exec != nullptr) + (in_process != nullptr) != 1) {
    return invalid(path, "must have exactly one of http, exec and in_process");
  }
  if (http) return http_from_json(*http, reader.path_of("http"));
  if (exec) return exec_from_json(*exec, reader.path_of("exec"));
  return in_process_from_json(*in_process, reader.path_of("in_process"));
}

}  // namespace escapement::domain
