#include "data_folder.h"

#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "small_file.h"

namespace escapement::apps {
namespace {

constexpr std::size_t kTokenBits = 256;

Error at_data(Error error) {
  error.field = "data";
  return error;
}

Result<std::string> random_token() {
  std::array<unsigned char, kTokenBits / 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return system_error("cannot get random bits", errno);
  }
  static constexpr char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned char byte : bytes) text += {kHex[byte >> 4], kHex[byte & 15]};
  return text;
}

}  // namespace

Status make_data_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) == 0) return {};
  int number = errno;
  struct stat found {};
  if (number == EEXIST && ::stat(folder.c_str(), &found) == 0) {
    if (S_ISDIR(found.st_mode)) return {};
    number = ENOTDIR;
  }
  return at_data(system_error("cannot create the data folder " + folder, number));
}

std::string token_path(const std::string& folder) { return folder + "/token"; }
std::string address_path(const std::string& folder) { return folder + "/address"; }

Result<std::string> load_or_make_token(const std::string& folder) {
  const std::string path = token_path(folder);
  Result<std::string> kept = read_small_file(path, kMaxTokenBytes);
  if (!kept.ok() && kept.error().code != ErrorCode::not_found) return at_data(kept.error());
  if (kept.ok()) {
    std::string token = first_line_of(path);
    if (Status good = check_token(token); !good.ok()) {
      return at_data(invalid("", path + ": " + good.error().message));
    }
    return token;
  }
  Result<std::string> made = random_token();
  if (!made.ok()) return at_data(made.error());
  Status wrote = write_small_file(path, *made + '\n', 0600);
  if (!wrote.ok()) return at_data(wrote.error());
  return made;
}

Status check_token(const std::string& token) {
  bool plain = std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < 0x7f; });
  if (plain && !token.empty() && token.size() <= kMaxTokenBytes) return {};
  return invalid("token", "a token is 1 to " + std::to_string(kMaxTokenBytes) +
                              " printable ASCII characters without blanks");
}

std::string first_line_of(const std::string& path) {
  Result<std::string> text = read_small_file(path, kMaxTokenBytes);
  return text.ok() ? text->substr(0, text->find_first_of("\r\n")) : std::string();
}

}  // namespace escapement::apps
