// The data folder: where a server keeps what it owns, and where the CLI finds it.
//
// Mode 0700; inside it `token` (0600, 256 random bits in hex, made at the first start), `address`
// (the URL the server listens at, only while it runs) and the store. Any thread.
#pragma once

#include <cstddef>
#include <string>

#include "escapement/base/result.h"

namespace escapement::apps {

inline constexpr const char* kDefaultDataFolder = "./escapement-data";
inline constexpr const char* kDefaultListen = "127.0.0.1:7070";
inline constexpr std::size_t kMaxTokenBytes = 4096;

// Makes the folder when it is not there. Errors name the field "data".
Status make_data_folder(const std::string& folder);

std::string token_path(const std::string& folder);
std::string address_path(const std::string& folder);

// The token of the file, which is made when it is not there.
Result<std::string> load_or_make_token(const std::string& folder);

// Printable ASCII without blanks, 1 to kMaxTokenBytes. Error: `invalid`.
Status check_token(const std::string& token);

// The first line of a file in the folder; "" when there is none.
std::string first_line_of(const std::string& path);

}  // namespace escapement::apps
