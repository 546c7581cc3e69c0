// Small files, whole: read under a limit, written so that a reader never sees half of one.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "escapement/base/result.h"

namespace escapement::apps {

// Errors: `not_found`, `denied`, `invalid` (longer than the limit, or no file), `unavailable`.
Result<std::string> read_small_file(const std::string& path, std::size_t max_bytes);

// Writes beside the target, then renames. Error: `unavailable`, `denied` or `full`.
Status write_small_file(const std::string& path, const std::string& text, mode_t mode);

// An `Error` for errno: "cannot open /x: Permission denied".
Error system_error(const std::string& what, int number);

}  // namespace escapement::apps
