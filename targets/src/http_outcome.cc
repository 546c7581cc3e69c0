#include "http_outcome.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "attempt_results.h"
#include "escapement/targets/url.h"

namespace escapement::targets {
namespace {

constexpr std::size_t kMaxReasonBytes = 100;
constexpr std::string_view kDateForm = "Ddd, 00 Mmm 0000 00:00:00 GMT";
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<std::int64_t> parse_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = end == text.data() + text.size() && !text.starts_with('-');
  if (error == std::errc::result_out_of_range && is_whole) return INT64_MAX;
  return error == std::errc() && is_whole ? std::optional(value) : std::nullopt;
}

// Turns "Sun, 06 Nov 1994 08:49:37 GMT" into RFC 3339 and lets that parser judge the numbers.
std::optional<Instant> parse_http_date(std::string_view text) {
  if (text.size() != kDateForm.size() || !text.ends_with(" GMT") || text.substr(3, 2) != ", ") {
    return std::nullopt;
  }
  const auto month = std::ranges::find(kMonths, text.substr(8, 3));
  if (month == kMonths.end()) return std::nullopt;
  const std::string number = std::to_string(101 + (month - kMonths.begin())).substr(1);
  const std::string day(text.substr(5, 2)), year(text.substr(12, 4)), time(text.substr(17, 8));
  Result<Instant> at = parse_instant(year + "-" + number + "-" + day + "T" + time + "Z");
  return at.ok() ? std::optional(*at) : std::nullopt;
}

bool is_temporary(int status) { return status == 408 || status == 429 || status / 100 == 5; }

std::string status_text(const HttpResponse& response) {
  std::string text = "HTTP " + std::to_string(response.status);
  const std::string reason = response.reason.substr(0, kMaxReasonBytes);
  const bool is_plain = std::ranges::all_of(reason, [](char c) { return c >= 0x20 && c < 0x7f; });
  return is_plain && !reason.empty() ? text + " " + reason : text;
}

std::string redirect_text(const HttpResponse& response) {
  if (response.status / 100 != 3 || response.location.empty()) return {};
  const Result<Url> url = parse_url(response.location);
  const std::string where = url.ok() ? origin_of(*url) : "another place";
  return " redirects to " + where + "; redirects are not followed";
}

}  // namespace

std::optional<Duration> parse_retry_after(std::string_view text, Instant now) {
  constexpr auto kMaxSeconds = std::chrono::duration_cast<std::chrono::seconds>(kMaxRetryAfter);
  if (const auto seconds = parse_number(text)) {
    return std::chrono::seconds(std::min<std::int64_t>(*seconds, kMaxSeconds.count()));
  }
  const std::optional<Instant> at = parse_http_date(text);
  if (!at) return std::nullopt;
  return std::clamp(Duration(*at - now), Duration::zero(), kMaxRetryAfter);
}

engine::AttemptResult judge_response(engine::AttemptKey key, HttpResponse response, Instant now) {
  engine::AttemptResult result{.key = key};
  if (response.status / 100 != 2) {
    result = failed(key, status_text(response) + redirect_text(response));
    result.retryable = is_temporary(response.status);
    if (result.retryable) result.retry_after = parse_retry_after(response.retry_after, now);
  }
  result.status = response.status;
  result.output = std::move(response.body);
  return result;
}

}  // namespace escapement::targets
