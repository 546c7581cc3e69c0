#include "spec_maker.h"

#include <chrono>

namespace escapement::simulation {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

struct Expression {
  std::string text;
  calendar::Dialect dialect = calendar::Dialect::kUnix;
};

const std::vector<Expression> kExpressions = {
    {"* * * * *"},
    {"*/5 * * * *"},
    {"*/2 * * * *"},
    {"7,22,37,52 * * * *"},
    {"30 1-3 * * *"},
    {"0 * * * *"},
    {"*/15 0-5 * * SUN"},
    {"0/10 * * * * ?", calendar::Dialect::kQuartz},
    {"0/20 * * * * ?", calendar::Dialect::kQuartz},
    {"15 0/3 * * * ?", calendar::Dialect::kQuartz},
    {"30 30 1-4 * * ?", calendar::Dialect::kQuartz},
};

domain::Target target() { return domain::InProcessTarget{.name = "receiver"}; }

}  // namespace

std::shared_ptr<const domain::JobSpec> SpecMaker::job(Instant now) {
  domain::JobSpec spec{.schedule = schedule(now), .target = target()};
  spec.retry = retry();
  spec.timeout = timeout();
  spec.catch_up = catch_up();
  spec.overlap = overlap();
  spec.on_unknown = random_.percent(70) ? domain::OnUnknown::retry : domain::OnUnknown::fail;
  return std::make_shared<const domain::JobSpec>(std::move(spec));
}

std::shared_ptr<const domain::JobSpec> SpecMaker::rapid_job() {
  const Duration period = random_.between(milliseconds{50}, milliseconds{500});
  domain::JobSpec spec{.schedule = domain::EverySchedule{period, std::nullopt}, .target = target()};
  spec.retry = retry();
  spec.timeout = seconds{5};
  spec.catch_up = catch_up();
  spec.overlap = overlap();
  return std::make_shared<const domain::JobSpec>(std::move(spec));
}

std::shared_ptr<const domain::TimerSpec> SpecMaker::timer() {
  return std::make_shared<const domain::TimerSpec>(
      domain::TimerSpec{.target = target(), .retry = retry(), .timeout = timeout()});
}

domain::Schedule SpecMaker::schedule(Instant now) {
  const std::int64_t dice = random_.between(0, 99);
  if (dice < 40) return cron();
  if (dice < 65) return every(now);
  if (dice < 80) {
    return domain::FixedDelaySchedule{random_.skewed(seconds{4}, minutes{3})};
  }
  if (dice < 88) return domain::AtSchedule{now + random_.skewed(seconds{1}, minutes{30})};
  return domain::ManualSchedule{};
}

domain::Schedule SpecMaker::cron() {
  const Expression& expression = random_.pick(kExpressions);
  const auto zone = calendar::Zone::load(random_.pick(kZones));
  ESCAPEMENT_CHECK(zone.ok());
  auto cron = calendar::Cron::parse(expression.text, expression.dialect, *zone);
  ESCAPEMENT_CHECK(cron.ok());
  return domain::CronSchedule{*cron};
}

domain::EverySchedule SpecMaker::every(Instant now) {
  domain::EverySchedule every{random_.skewed(seconds{4}, minutes{10}), std::nullopt};
  if (random_.percent(40)) {
    every.anchor = now - random_.between(seconds{0}, std::chrono::hours{48});
  }
  return every;
}

domain::RetryPolicy SpecMaker::retry() {
  domain::RetryPolicy retry;
  retry.max_attempts = random_.between(1, 5);
  retry.initial = random_.skewed(milliseconds{100}, seconds{10});
  retry.factor = random_.percent(50) ? 2 : 1.5;
  retry.max = random_.between(seconds{10}, seconds{60});
  retry.jitter = random_.percent(50) ? 0.2 : 0;
  if (random_.percent(10)) retry.max_age = random_.between(seconds{10}, minutes{5});
  return retry;
}

domain::CatchUpPolicy SpecMaker::catch_up() {
  const std::int64_t dice = random_.between(0, 2);
  if (dice == 0) return {domain::CatchUp::skip, 100};
  if (dice == 1) return {domain::CatchUp::latest, 100};
  return {domain::CatchUp::all, random_.skewed(Duration{1}, Duration{60}).count()};
}

domain::OverlapPolicy SpecMaker::overlap() {
  const std::int64_t dice = random_.between(0, 9);
  if (dice < 5) return {domain::Overlap::allow, 100};
  if (dice < 7) return {domain::Overlap::skip, 100};
  return {domain::Overlap::queue, random_.between(1, 4)};
}

Duration SpecMaker::timeout() { return random_.skewed(seconds{1}, seconds{30}); }

}  // namespace escapement::simulation
