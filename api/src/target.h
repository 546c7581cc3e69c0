// What stands in a request's target: the path's segments and the query, percent-decoded.
// Values; any thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "escapement/base/json.h"

namespace escapement::api {

// Bytes of "%41" and the like; '+' stays unless `plus_is_space`. Error: `invalid` for an escape
// that is none.
Result<std::string> percent_decode(std::string_view text, bool plus_is_space);

struct Target {
  std::vector<std::string> segments;  // of "/a/b": "a", "b"; a segment may hold a '/'
  std::map<std::string, std::string> query;
};
// Errors: `invalid` for a path without a leading '/', bad escapes, a parameter given twice.
Result<Target> parse_target(std::string_view text);

// Reads the parameters of a query one by one, as JsonReader reads fields: the first error sticks,
// and whatever nobody asked for is refused by name.
class QueryReader {
 public:
  explicit QueryReader(const std::map<std::string, std::string>& query) : query_(query) {}

  std::optional<std::string> string(const std::string& name);
  std::optional<std::int64_t> integer(const std::string& name, IntegerRange range);
  std::optional<Instant> instant(const std::string& name);
  void fail(Error error);
  Status finish();

 private:
  const std::map<std::string, std::string>& query_;
  std::set<std::string> known_;
  Status status_;
};

}  // namespace escapement::api
