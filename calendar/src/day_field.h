// The two day fields of both dialects, with the letters of quartz: ? L W #.
//
// Functions fill their half of a DayRule and answer false after filling `error`. Pure.
#pragma once

#include <string_view>

#include "escapement/base/result.h"
#include "escapement/calendar/cron.h"
#include "escapement/calendar/rule.h"

namespace escapement::calendar {

bool parse_month_days(std::string_view field, Dialect dialect, DayRule& rule, Error& error);
bool parse_weekdays(std::string_view field, Dialect dialect, DayRule& rule, Error& error);

}  // namespace escapement::calendar
