#include "fire.h"

#include <algorithm>

#include "civil.h"

namespace escapement::calendar {
namespace {

std::int64_t year_of(std::int64_t local) {
  return date_from_days(floor_div(local, kDaySeconds)).year;
}

bool follows_gap(const Stretch& stretch) {
  const std::int64_t gap = stretch.offset - stretch.offset_before;
  return gap > 0 && gap < kMaxMadeUpGap;
}

// Where the stretch begins, in local time; a fixed rule leaves out what the overlap repeats.
std::int64_t local_start(const Rule& rule, const Stretch& stretch) {
  const bool skip = !rule.wildcard && stretch.offset_before > stretch.offset;
  return stretch.from + (skip ? stretch.offset_before : stretch.offset);
}

// A search forward that remembers the empty span in front of its last answer.
class Forward {
 public:
  Forward(const Rule& rule, std::int64_t last_year, Work& work)
      : rule_(rule), last_year_(last_year), work_(work) {}

  std::int64_t from(std::int64_t local) {
    if (searched_ && known_from_ <= local && (local <= found_ || found_ == kNoTime)) return found_;
    searched_ = true;
    known_from_ = local;
    found_ = first_nominal(rule_, local, last_year_, work_);
    return found_;
  }

 private:
  const Rule& rule_;
  std::int64_t last_year_;
  Work& work_;
  bool searched_ = false;
  std::int64_t known_from_ = 0;
  std::int64_t found_ = 0;
};

// The same backward.
class Backward {
 public:
  Backward(const Rule& rule, std::int64_t first_year, Work& work)
      : rule_(rule), first_year_(first_year), work_(work) {}

  std::int64_t to(std::int64_t local) {
    if (searched_ && local <= known_to_ && found_ <= local) return found_;
    searched_ = true;
    known_to_ = local;
    found_ = last_nominal(rule_, local, first_year_, work_);
    return found_;
  }

 private:
  const Rule& rule_;
  std::int64_t first_year_;
  Work& work_;
  bool searched_ = false;
  std::int64_t known_to_ = 0;
  std::int64_t found_ = 0;
};

std::int64_t last_year_of_search(const Rule& rule, Zone zone, std::int64_t year) {
  if (rule.bounded) return kLastYear;
  return std::max(year, zone.settled_year()) + kSettledSearchYears;
}

std::optional<std::int64_t> last_fire_since(const Rule& rule, Zone zone, std::int64_t second,
                                            Backward& nominal, Work& work) {
  bool whole = false;  // the stretch is searched from its very end
  for (Stretch stretch = zone.stretch_at(second);; stretch = zone.stretch_at(second)) {
    ++work.stretches;
    const std::int64_t found = nominal.to(second + stretch.offset);
    if (found == kNoTime) return std::nullopt;
    if (stretch.from <= kBeginning || found >= local_start(rule, stretch)) {
      return found - stretch.offset;
    }
    const bool in_gap = follows_gap(stretch) && found >= stretch.from + stretch.offset_before;
    if (!rule.wildcard && in_gap && found < stretch.from + stretch.offset) return stretch.from;
    second = stretch.from - 1;
    if (whole) second = std::min(second, found + kMaxOffsetSeconds);
    whole = true;
  }
}

}  // namespace

std::optional<std::int64_t> first_fire(const Rule& rule, Zone zone, std::int64_t second,
                                       Work& work) {
  Stretch stretch = zone.stretch_at(second);
  const std::int64_t year = year_of(second + stretch.offset);
  Forward nominal(rule, last_year_of_search(rule, zone, year), work);
  bool whole = false;  // the stretch is searched from its very beginning
  for (;; stretch = zone.stretch_at(second)) {
    ++work.stretches;
    if (!rule.wildcard && second == stretch.from && follows_gap(stretch)) {
      const std::int64_t missed = nominal.from(stretch.from + stretch.offset_before);
      if (missed != kNoTime && missed < stretch.from + stretch.offset) return stretch.from;
    }
    const std::int64_t found =
        nominal.from(std::max(second + stretch.offset, local_start(rule, stretch)));
    if (found == kNoTime) return std::nullopt;
    if (found - stretch.offset < stretch.to) return found - stretch.offset;
    second = stretch.to;
    if (whole) second = std::max(second, found - kMaxOffsetSeconds);
    whole = true;
  }
}

std::optional<std::int64_t> last_fire(const Rule& rule, Zone zone, std::int64_t second,
                                      Work& work) {
  const std::int64_t year = year_of(second + zone.stretch_at(second).offset);
  const std::int64_t settled = zone.settled_year();
  const std::int64_t last_resort =
      rule.bounded ? kFirstYear : std::min(year, settled) - kSearchYears;
  const bool two_spans = !rule.bounded && year - kSettledSearchYears > settled;
  Backward recent(rule, two_spans ? year - kSettledSearchYears : last_resort, work);
  const auto found = last_fire_since(rule, zone, second, recent, work);
  if (found || !two_spans) return found;
  Backward old(rule, last_resort, work);
  const std::int64_t unsettled = days_from_date({settled + 1, 1, 1}) * kDaySeconds;
  return last_fire_since(rule, zone, unsettled, old, work);
}

}  // namespace escapement::calendar
