#include "metrics_text.h"

#include <string_view>

namespace escapement::api {
namespace {

struct Metric {
  std::string_view name;
  std::string_view type;
  std::string_view help;
  std::int64_t value;
};

void add_head(std::string& out, const Metric& metric) {
  const std::string name = "escapement_" + std::string(metric.name);
  out += "# HELP " + name + " " + std::string(metric.help) + "\n";
  out += "# TYPE " + name + " " + std::string(metric.type) + "\n";
}

void add(std::string& out, const Metric& metric) {
  add_head(out, metric);
  out += "escapement_" + std::string(metric.name) + " " + std::to_string(metric.value) + "\n";
}

// Microseconds as seconds, exactly: "0.00025".
std::string seconds(std::int64_t micros) {
  std::string fraction = std::to_string(1'000'000 + micros % 1'000'000).substr(1);
  fraction.resize(fraction.find_last_not_of('0') + 1);
  const std::string whole = std::to_string(micros / 1'000'000);
  return fraction.empty() ? whole : whole + "." + fraction;
}

// `produced` is a gauge: an edit of a job takes planned occurrences back.
void add_conservation(std::string& out, const engine::MetricsReply& metrics) {
  const domain::Counters& runs = metrics.counters;
  add(out, {"runs_produced", "gauge",
            "Runs ever produced; equals live + succeeded + failed + cancelled + skipped.",
            runs.produced});
  add(out, {"runs_live", "gauge", "Runs that are not terminal, by the counters.", runs.live()});
  add(out, {"runs_succeeded_total", "counter", "Runs that succeeded.", runs.succeeded});
  add(out, {"runs_failed_total", "counter", "Runs that failed for good.", runs.failed});
  add(out, {"runs_cancelled_total", "counter", "Runs that were cancelled.", runs.cancelled});
  add(out,
      {"runs_skipped_total", "counter", "Runs that were skipped, misses included.", runs.skipped});
  if (metrics.live_rows < 0) return;  // no audit yet
  add(out,
      {"live_rows", "gauge", "Runs that are not terminal, counted row by row in the last audit.",
       metrics.live_rows});
}

void add_engine(std::string& out, const engine::MetricsReply& metrics) {
  add(out, {"term", "gauge", "Fencing number of this ownership.", metrics.term});
  add(out, {"jobs", "gauge", "Jobs that are stored.", metrics.jobs});
  add(out, {"loaded_runs", "gauge", "Runs in memory.", metrics.loaded_runs});
  add(out, {"attempts_in_flight", "gauge", "Attempts handed to targets and unanswered.",
            metrics.in_flight});
  add(out,
      {"backlog_runs", "gauge", "Overdue runs in memory that wait for a place.", metrics.backlog});
  add(out,
      {"attempts_dispatched_total", "counter", "Attempts handed to targets.", metrics.dispatched});
  add(out, {"attempts_succeeded_total", "counter", "Attempts that succeeded.",
            metrics.attempts_succeeded});
  add(out, {"attempts_failed_total", "counter", "Attempts that failed or timed out.",
            metrics.attempts_failed});
  add(out, {"attempts_unknown_total", "counter", "Attempts that nobody knows the end of.",
            metrics.attempts_unknown});
  add(out, {"clock_steps_total", "counter", "Steps of the wall clock.", metrics.clock_steps});
  add(out, {"store_errors_total", "counter", "Requests that the store could not answer.",
            metrics.store_errors});
  add(out, {"stale_results_total", "counter", "Results that no attempt in flight waited for.",
            metrics.stale_results});
}

void add_lateness(std::string& out, const engine::LatenessHistogram& lateness) {
  add_head(out,
           {"lateness_seconds", "histogram", "Start of an attempt minus its planned start.", 0});
  const std::string name = "escapement_lateness_seconds";
  std::int64_t below = 0;
  for (std::size_t i = 0; i + 1 < engine::LatenessHistogram::kBuckets; ++i) {
    below += lateness.counts[i];
    out += name + "_bucket{le=\"" + seconds(engine::LatenessHistogram::kBounds[i]) + "\"} " +
           std::to_string(below) + "\n";
  }
  out += name + "_bucket{le=\"+Inf\"} " + std::to_string(lateness.count) + "\n";
  out += name + "_sum " + seconds(lateness.sum_us) + "\n";
  out += name + "_count " + std::to_string(lateness.count) + "\n";
  add_head(out, {"lateness_max_seconds", "gauge", "The largest lateness since the start.", 0});
  out += "escapement_lateness_max_seconds " + seconds(lateness.max_us) + "\n";
}

}  // namespace

std::string metrics_text(const engine::MetricsReply& metrics) {
  std::string out;
  add_conservation(out, metrics);
  add_engine(out, metrics);
  add_lateness(out, metrics.lateness);
  return out;
}

}  // namespace escapement::api
