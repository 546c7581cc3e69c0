// What the exit status of `escapement` means; also in `escapement help`.
#pragma once

namespace escapement::apps {

inline constexpr int kExitFine = 0;
inline constexpr int kExitFailed = 1;  // the server answered with an error of its own
inline constexpr int kExitUsage = 2;   // unknown option or bad input
inline constexpr int kExitNotFound = 3;
inline constexpr int kExitConflict = 4;
inline constexpr int kExitUnreachable = 5;  // no server answers at the address
inline constexpr int kExitDenied = 6;       // no token, or a wrong one
inline constexpr int kExitInternal = 70;
inline constexpr int kExitDataFolder = 73;  // cannot be made or opened, or another server has it
inline constexpr int kExitPortInUse = 75;

}  // namespace escapement::apps
