#include "escapement/base/result.h"

namespace escapement {

std::string_view to_string(ErrorCode code) {
  switch (code) {
    case ErrorCode::invalid:
      return "invalid";
    case ErrorCode::not_found:
      return "not_found";
    case ErrorCode::conflict:
      return "conflict";
    case ErrorCode::fenced:
      return "fenced";
    case ErrorCode::busy:
      return "busy";
    case ErrorCode::full:
      return "full";
    case ErrorCode::unavailable:
      return "unavailable";
    case ErrorCode::unknown_outcome:
      return "unknown_outcome";
    case ErrorCode::denied:
      return "denied";
  }
  ESCAPEMENT_CHECK(false && "an ErrorCode outside the closed set");
}

}  // namespace escapement
