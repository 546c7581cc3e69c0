#include "secret_name.h"

#include <algorithm>
#include <array>

namespace escapement::domain {
namespace {

constexpr std::array<std::string_view, 3> kWhole{"authorization", "cookie", "proxy-authorization"};
constexpr std::array<std::string_view, 4> kParts{"secret", "token", "password", "key"};

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool is_secret_name(std::string_view name) {
  const std::string lower = lower_case(name);
  if (std::find(kWhole.begin(), kWhole.end(), lower) != kWhole.end()) return true;
  return std::any_of(kParts.begin(), kParts.end(),
                     [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

std::string without_credentials(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const std::size_t host = scheme + 3;
  const std::string_view authority = url.substr(host, url.find_first_of("/?#", host) - host);
  const std::size_t at = authority.rfind('@');
  if (at == std::string_view::npos) return std::string(url);
  return std::string(url.substr(0, host)) + "***" + std::string(url.substr(host + at));
}

}  // namespace escapement::domain
