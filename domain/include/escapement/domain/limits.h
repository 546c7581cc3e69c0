// Every limit and default of the scheduler by name; SEMANTICS of each in docs/semantics.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "escapement/base/time.h"

namespace escapement::domain {

using namespace std::chrono_literals;

// Names: app, job and timer key. 1 to 200 bytes of printable UTF-8 without '/', or control codes.
inline constexpr std::size_t kMaxNameBytes = 200;
inline constexpr std::size_t kMaxDescriptionBytes = 4096;
inline constexpr std::size_t kMaxPayloadBytes = 256 * 1024;  // body, stdin or trigger payload
inline constexpr std::size_t kMaxUrlBytes = 8192;
inline constexpr std::size_t kMaxHeaders = 64;
inline constexpr std::size_t kMaxHeaderBytes = 8192;
inline constexpr std::size_t kMaxArgv = 256;
inline constexpr std::size_t kMaxArgvBytes = 128 * 1024;
inline constexpr std::size_t kMaxEnvironment = 256;
inline constexpr std::size_t kMaxOutputBytes = 64 * 1024;  // kept of a response or of an output
inline constexpr std::size_t kMaxTimersPerBatch = 10'000;
inline constexpr std::size_t kMaxIdempotencyKeyBytes = 255;

inline constexpr Duration kMinPeriod = 1ms;  // every, fixed_delay
inline constexpr Duration kMaxPeriod = std::chrono::hours{24 * 366 * 100};
inline constexpr Duration kDefaultTimeout = 30s;
inline constexpr Duration kMaxTimeout = std::chrono::hours{24 * 30};
inline constexpr std::int64_t kMaxAttempts = 1000;
inline constexpr std::int64_t kMaxCatchUp = 10'000;
inline constexpr std::int64_t kMaxOverlapQueue = 10'000;
inline constexpr Duration kTimerKeyRetention = std::chrono::hours{24};

}  // namespace escapement::domain
