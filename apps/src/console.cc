#include "console.h"

#include <ostream>

namespace escapement::apps {

std::string Console::variable(const std::string& name) const {
  auto found = env.find(name);
  return found == env.end() ? std::string() : found->second;
}

int exit_code_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return kExitUsage;
    case ErrorCode::not_found:
      return kExitNotFound;
    case ErrorCode::conflict:
      return kExitConflict;
    case ErrorCode::denied:
      return kExitDenied;
    case ErrorCode::fenced:
    case ErrorCode::busy:
    case ErrorCode::full:
    case ErrorCode::unavailable:
    case ErrorCode::unknown_outcome:
      return kExitFailed;
  }
  return kExitInternal;
}

int report(Console& console, const Error& error) {
  console.err << "escapement: ";
  if (!error.field.empty()) console.err << one_line(error.field) << ": ";
  console.err << one_line(error.message) << '\n';
  return exit_code_of(error.code);
}

int report_usage(Console& console, std::string_view message) {
  console.err << "escapement: " << one_line(message) << '\n';
  return kExitUsage;
}

std::string one_line(std::string_view text) {
  std::string result;
  for (char c : text) {
    unsigned char byte = static_cast<unsigned char>(c);
    result += (byte == '\n' || byte == '\t') ? ' ' : (byte < 0x20 || byte == 0x7f) ? '?' : c;
  }
  return result;
}

}  // namespace escapement::apps
