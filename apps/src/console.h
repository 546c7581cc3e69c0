// How verbs answer: one line on stderr and a status for every kind of failure.
#pragma once

#include <string>
#include <string_view>

#include "escapement/apps/run_cli.h"
#include "escapement/base/result.h"

namespace escapement::apps {

int exit_code_of(ErrorCode code);

// "escapement: schedule.cron: …" in one line; answers the status of its code.
int report(Console& console, const Error& error);
int report_usage(Console& console, std::string_view message);

// The text with line breaks and other control characters shown as '?', for a table or one line.
std::string one_line(std::string_view text);

}  // namespace escapement::apps
