#include "machine_zone.h"

#include <unistd.h>

#include <array>
#include <climits>
#include <string_view>

#include "data_folder.h"
#include "escapement/calendar/zone.h"

namespace escapement::apps {
namespace {

// "/usr/share/zoneinfo/Europe/Berlin" is Europe/Berlin.
std::string zone_of_link(const std::string& path) {
  std::array<char, PATH_MAX> buffer{};
  ssize_t size = ::readlink(path.c_str(), buffer.data(), buffer.size());
  if (size < 0) return {};
  constexpr std::string_view kFolder = "zoneinfo/";
  std::string_view target(buffer.data(), static_cast<std::size_t>(size));
  std::size_t found = target.find(kFolder);
  if (found == std::string_view::npos) return {};
  return std::string(target.substr(found + kFolder.size()));
}

}  // namespace

std::string machine_zone(const std::string& etc) {
  const std::array<std::string, 2> names{first_line_of(etc + "/timezone"),
                                         zone_of_link(etc + "/localtime")};
  for (const std::string& name : names) {
    if (!name.empty() && calendar::Zone::load(name).ok()) return name;
  }
  return "UTC";
}

}  // namespace escapement::apps
