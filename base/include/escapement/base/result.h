// Result<T>: a value, or an expected failure with a closed code.
//
// Errors are of three kinds, never mixed: a bug is a CHECK, an expected failure is a Result, bad
// input is a Result with code `invalid` whose message names the field, the value and what is
// allowed. No exception crosses a room. Values only; not thread-safe beyond that.
//
//   Result<int> parsed = parse(text);
//   if (!parsed.ok()) return parsed.error();
//   use(*parsed);
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "escapement/base/check.h"

namespace escapement {

// The closed set of failures. `unknown_outcome`: the commit was sent and no answer came; re-read,
// never blindly retry.
enum class ErrorCode {
  invalid,          // bad input; the message names field and reason
  not_found,        // no such thing
  conflict,         // it exists already, or its state forbids this
  fenced,           // the term is not the current one
  busy,             // try later: a bounded queue is full
  full,             // the disk or a hard limit is full
  unavailable,      // the store or peer cannot answer
  unknown_outcome,  // perhaps done, perhaps not
  denied,           // not allowed
};

// The code's name as it appears in JSON and logs, for example "not_found".
std::string_view to_string(ErrorCode code);

struct Error {
  ErrorCode code = ErrorCode::invalid;
  std::string message;
  std::string field;  // JSON path of the offending field, for example "schedule.cron"; may be empty
};

// An `invalid` error for a field.
inline Error invalid(std::string field, std::string message) {
  return Error{ErrorCode::invalid, std::move(message), std::move(field)};
}

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  const Error& error() const {
    ESCAPEMENT_CHECK(!ok());
    return std::get<1>(state_);
  }
  T& value() & {
    ESCAPEMENT_CHECK(ok());
    return std::get<0>(state_);
  }
  const T& value() const& {
    ESCAPEMENT_CHECK(ok());
    return std::get<0>(state_);
  }
  T&& value() && {
    ESCAPEMENT_CHECK(ok());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an error.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::move(error)) {}

  bool ok() const { return !error_.has_value(); }
  const Error& error() const {
    ESCAPEMENT_CHECK(error_.has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

}  // namespace escapement
