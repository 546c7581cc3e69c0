// Which names carry secrets. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace escapement::domain {

// ASCII only.
std::string lower_case(std::string_view text);

// Authorization, Cookie, Proxy-Authorization, or "secret", "token", "password" or "key" inside; in
// any case.
bool is_secret_name(std::string_view name);

// The URL with "user:password@" replaced by "***@".
std::string without_credentials(std::string_view url);

}  // namespace escapement::domain
