// SystemZone: the C library's opinion of a time zone, as an oracle. Tests only; one thread.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

namespace escapement::calendar::naive {

// Sets TZ for its lifetime.
class SystemZone {
 public:
  explicit SystemZone(const std::string& name) {
    setenv("TZ", (":" + name).c_str(), 1);
    tzset();
  }
  ~SystemZone() {
    unsetenv("TZ");
    tzset();
  }
  SystemZone(const SystemZone&) = delete;
  SystemZone& operator=(const SystemZone&) = delete;

  std::int64_t offset_at(std::int64_t second) const {
    const std::time_t at = second;
    std::tm broken{};
    localtime_r(&at, &broken);
    return broken.tm_gmtoff;
  }
};

inline constexpr const char* kTestZones[] = {
    "America/New_York",    "Europe/Berlin", "America/St_Johns",
    "Australia/Lord_Howe", "Pacific/Apia",  "Europe/Dublin",
    "Asia/Tehran",         "Asia/Shanghai", "Asia/Kolkata",
    "Pacific/Kiritimati",  "UTC",           "Africa/Casablanca",
    "America/Sao_Paulo"};

}  // namespace escapement::calendar::naive
