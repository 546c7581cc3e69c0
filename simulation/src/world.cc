#include "world.h"

#include <algorithm>

namespace escapement::simulation {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kHealing = minutes{16};

// Somewhere in five years; every third world begins shortly before a clock change.
Instant draw_start(Random& random) {
  const Instant base = from_micros(1'704'067'200'000'000);  // 2024-01-01
  const Instant start = base + random.between(Duration::zero(), hours{24 * 365 * 5});
  if (!random.one_in(3)) return start;
  const auto zone = calendar::Zone::load(random.pick(kZones));
  ESCAPEMENT_CHECK(zone.ok());
  const auto transition = zone->next_transition(start);
  return transition ? transition->at - random.between(minutes{3}, minutes{45}) : start;
}

engine::EngineOptions draw_options(Random& random, const SimOptions& options) {
  engine::EngineOptions drawn;
  drawn.guards = options.guards;
  drawn.look_ahead = random.pick(std::vector<Duration>{seconds{5}, seconds{30}, minutes{2}});
  drawn.max_loaded_runs = random.pick(std::vector<std::size_t>{500, 100'000});
  drawn.load_page = random.pick(std::vector<std::size_t>{7, 100, 2000});
  drawn.plan_page = random.pick(std::vector<std::size_t>{20, 1000});
  drawn.arm_window = random.pick(std::vector<Duration>{seconds{1}, seconds{5}});
  drawn.max_in_flight = random.pick(std::vector<std::size_t>{8, 256});
  drawn.max_commands = random.pick(std::vector<std::size_t>{5, 50'000});
  drawn.retention = random.pick(std::vector<Duration>{minutes{10}, hours{24 * 7}});
  drawn.seed = random.next();
  return drawn;
}

}  // namespace

World::World(const SimOptions& options) : World(options, Random{options.seed}) {}

World::World(const SimOptions& options, Random random)
    : random_(random),
      length_(std::max(options.hours, Duration{hours{1}})),
      stage_(options, draw_start(random_)),
      engine_options_(draw_options(random_, options)),
      store_(stage_, random_.fork()),
      targets_(stage_, random_.fork()),
      judge_(stage_, store_.disk(), engine_options_),
      server_(stage_, {store_, targets_}, judge_, engine_options_),
      workload_(stage_, random_.fork()),
      faults_(stage_, random_.fork(), {server_, store_, targets_}) {
  workload_.set_sender(
      [this](engine::Command command) { return server_.send(std::move(command)); });
  server_.set_on_reply([this](const engine::Command& command, const engine::Reply& reply) {
    workload_.on_reply(command, reply);
  });
}

SimReport World::run() {
  const Instant from = stage_.clock.now().wall;
  server_.start();
  workload_.begin();
  const Duration chaos = length_ - kHealing;
  faults_.plan(chaos);
  run_until(chaos);
  stage_.line("healing");
  faults_.heal();
  workload_.finish();
  run_until(std::max(length_, stage_.truth() + kHealing));
  if (stage_.report.violations.empty()) judge_.on_end();
  note_transitions(from);
  stage_.report.simulated = stage_.truth();
  stage_.report.trace_hash = stage_.trace.hash();
  return std::move(stage_.report);
}

void World::run_until(Duration end) {
  while (stage_.report.violations.empty()) {
    const Duration next = std::min(stage_.agenda.earliest(), server_.wants_at());
    if (next > end) break;
    stage_.clock.advance_to(std::max(next, stage_.truth()));
    while (stage_.agenda.earliest() <= stage_.truth()) stage_.agenda.take()();
    if (server_.wants_at() <= stage_.truth()) server_.step();
  }
  if (stage_.report.violations.empty()) stage_.clock.advance_to(std::max(end, stage_.truth()));
}

void World::note_transitions(Instant from) {
  for (const std::string& name : kZones) {
    const auto transition = calendar::Zone::load(name)->next_transition(from);
    if (transition && transition->at < from + stage_.truth()) stage_.reach(Rare::dst_transition);
  }
}

}  // namespace escapement::simulation
