// From the text of a cron expression to its Rule: splits into fields, then field by field.
//
// Nothing is allocated unless there is an error, which is how a parse stays under a microsecond.
// Functions answer false after filling `error`. Pure.
#pragma once

#include <string_view>

#include "escapement/base/result.h"
#include "escapement/calendar/cron.h"
#include "escapement/calendar/rule.h"

namespace escapement::calendar {

// The number of blank-separated words.
int count_fields(std::string_view expression);

bool parse_rule(std::string_view expression, Dialect dialect, Rule& rule, Error& error);

}  // namespace escapement::calendar
