#include "metrics_text.h"

#include <gmock/gmock.h>

namespace escapement::api {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(MetricsText, ConservationIsShownWithTheAudit) {
  engine::MetricsReply metrics;
  metrics.counters = {.produced = 10, .succeeded = 4, .failed = 3, .cancelled = 1, .skipped = 1};
  EXPECT_THAT(metrics_text(metrics), Not(HasSubstr("escapement_live_rows")));
  metrics.live_rows = 1;
  const std::string text = metrics_text(metrics);
  EXPECT_THAT(text, HasSubstr("# TYPE escapement_runs_produced gauge\n"
                              "escapement_runs_produced 10\n"));
  EXPECT_THAT(text, HasSubstr("\nescapement_runs_live 1\n"));
  EXPECT_THAT(text, HasSubstr("\nescapement_runs_succeeded_total 4\n"));
  EXPECT_THAT(text, HasSubstr("\nescapement_runs_failed_total 3\n"));
  EXPECT_THAT(text, HasSubstr("\nescapement_runs_cancelled_total 1\n"));
  EXPECT_THAT(text, HasSubstr("\nescapement_runs_skipped_total 1\n"));
  EXPECT_THAT(text, HasSubstr("\nescapement_live_rows 1\n"));
}

TEST(MetricsText, LatenessIsACumulativeHistogramInSeconds) {
  engine::MetricsReply metrics;
  metrics.lateness.counts[0] = 2;
  metrics.lateness.counts[1] = 1;
  metrics.lateness.counts[engine::LatenessHistogram::kBuckets - 1] = 1;
  metrics.lateness.count = 4;
  metrics.lateness.sum_us = 2'000'450;
  metrics.lateness.max_us = 2'000'000;
  const std::string text = metrics_text(metrics);
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"0.0001\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"0.00025\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"1\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("_bucket{le=\"+Inf\"} 4\n"));
  EXPECT_THAT(text, HasSubstr("escapement_lateness_seconds_sum 2.00045\n"));
  EXPECT_THAT(text, HasSubstr("escapement_lateness_seconds_count 4\n"));
  EXPECT_THAT(text, HasSubstr("escapement_lateness_max_seconds 2\n"));
}

TEST(MetricsText, EveryMetricHasHelpAndType) {
  const std::string text = metrics_text({});
  std::size_t helps = 0;
  std::size_t types = 0;
  for (std::size_t at = 0; (at = text.find("# HELP ", at)) != std::string::npos; ++at) ++helps;
  for (std::size_t at = 0; (at = text.find("# TYPE ", at)) != std::string::npos; ++at) ++types;
  EXPECT_EQ(helps, types);
  EXPECT_GT(helps, 15u);
  EXPECT_EQ(text.back(), '\n');
}

}  // namespace
}  // namespace escapement::api
