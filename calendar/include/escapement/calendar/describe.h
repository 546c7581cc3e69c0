// A cron expression in plain words, and what may surprise its author.
//
// Both are made from the parsed rule, not from its text, so they say what will happen. Some
// microseconds each; pure, any thread.
//
//   describe(*Cron::parse("30 2 * * 1-5", Dialect::kUnix, berlin))
//     == "at 02:30 on Monday to Friday, Europe/Berlin time"
#pragma once

#include <string>
#include <vector>

#include "escapement/base/time.h"
#include "escapement/calendar/cron.h"

namespace escapement::calendar {

// How far ahead of `now` gaps and overlaps are looked for.
inline constexpr int kLintYears = 10;

// One line without a full stop.
std::string describe(const Cron& cron);

// Warnings, one sentence each without a full stop; empty if there is nothing to warn about:
// - it never fires, or not any more after `now`;
// - a fixed time falls into a gap or an overlap of the zone within kLintYears of `now` (the first
//   of each is named, with what happens then);
// - both day fields are restricted, and how they combine;
// - it fires only on 29 February, or leaves out the shorter months.
std::vector<std::string> lint(const Cron& cron, Instant now);

}  // namespace escapement::calendar
