#include "sim_store.h"

#include <algorithm>

namespace escapement::simulation {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kGroup = 1000;

bool is_query(const engine::StoreRequest& request) {
  return std::holds_alternative<engine::ListRuns>(request) ||
         std::holds_alternative<engine::GetRun>(request) ||
         std::holds_alternative<engine::AuditCounters>(request);
}

engine::StoreAnswer refuse(engine::Ticket ticket, ErrorCode code) {
  return {ticket, Error{code, "simulated", {}}};
}

}  // namespace

SimStore::SimStore(Stage& stage, Random random) : stage_(stage), random_(random) {}

void SimStore::submit(engine::Ticket ticket, engine::StoreRequest request) {
  Waiting waiting{ticket, std::move(request)};
  if (is_query(waiting.request)) return query(std::move(waiting));
  queue_.push_back(std::move(waiting));
  if (!committing_) begin_group();
}

void SimStore::drop_waiting() {
  ++life_;
  queue_.clear();
  committed_.clear();
  committing_ = false;
}

Duration SimStore::latency() {
  if (weather_.stalled) return random_.between(milliseconds{200}, seconds{5});
  if (random_.one_in(400)) return random_.between(milliseconds{200}, seconds{2});
  return random_.skewed(microseconds{50}, milliseconds{50});
}

void SimStore::begin_group() {
  committing_ = true;
  const std::size_t size = std::min(queue_.size(), kGroup);
  stage_.after(latency(), [this, size, life = life_] {
    if (life == life_) commit_group(size);
  });
}

void SimStore::commit_group(std::size_t size) {
  const Duration delay = random_.skewed(microseconds{20}, milliseconds{1});
  const std::uint64_t life = life_;
  for (std::size_t i = 0; i < size; ++i) {
    const Waiting waiting = std::move(queue_.front());
    queue_.pop_front();
    engine::StoreAnswer answer = execute(waiting);
    if (life != life_) return;  // the process died of this very commit
    answer_later(std::move(answer), delay);
  }
  committing_ = false;
  if (!queue_.empty()) begin_group();
}

engine::StoreAnswer SimStore::execute(const Waiting& waiting) {
  if (random_.percent(weather_.unavailable)) {
    return refuse(waiting.ticket, ErrorCode::unavailable);
  }
  const auto* write = std::get_if<engine::Write>(&waiting.request);
  if (write == nullptr) return run(waiting.ticket, waiting.request);
  if (random_.percent(weather_.full)) {
    stage_.reach(Rare::store_full);
    return refuse(waiting.ticket, ErrorCode::full);
  }
  if (random_.percent(weather_.lost_answers)) return lose_answer(waiting.ticket, *write);
  return execute_write(waiting.ticket, *write);
}

engine::StoreAnswer SimStore::execute_write(engine::Ticket ticket, const engine::Write& write) {
  engine::StoreAnswer answer = run(ticket, write);
  if (!answer.result.ok()) return answer;
  committed_.insert(ticket);
  on_commit_(write, std::get<engine::Written>(*answer.result));
  return answer;
}

engine::StoreAnswer SimStore::lose_answer(engine::Ticket ticket, const engine::Write& write) {
  const bool applied = random_.percent(50);
  stage_.line(applied ? "lost-answer-applied" : "lost-answer-not-applied",
              {static_cast<std::int64_t>(ticket)});
  if (applied && execute_write(ticket, write).result.ok()) stage_.reach(Rare::lost_answer_applied);
  if (!applied) stage_.reach(Rare::lost_answer_not_applied);
  return refuse(ticket, ErrorCode::unknown_outcome);
}

// Which writes were committed is this side's own knowledge: the truth, whatever the store believes.
engine::StoreAnswer SimStore::run(engine::Ticket ticket, const engine::StoreRequest& request) {
  if (const auto* find = std::get_if<engine::FindOutcome>(&request)) {
    return {ticket, engine::StoreValue{engine::Outcome{committed_.contains(find->write)}}};
  }
  engine::StoreAnswer answer = stores::execute(disk_, ticket, request);
  stage_.line("execute",
              {static_cast<std::int64_t>(ticket), static_cast<std::int64_t>(request.index())},
              answer.result.ok() ? std::string_view{} : answer.result.error().message);
  return answer;
}

void SimStore::answer_later(engine::StoreAnswer answer, Duration delay) {
  last_answer_ = std::max(last_answer_, stage_.truth() + delay);
  stage_.agenda.add(last_answer_, [this, life = life_, answer = std::move(answer)] {
    if (life == life_) on_answer_(answer);
  });
}

void SimStore::query(Waiting waiting) {
  stage_.after(latency(), [this, life = life_, waiting = std::move(waiting)] {
    if (life != life_) return;
    on_answer_(random_.percent(weather_.unavailable)
                   ? refuse(waiting.ticket, ErrorCode::unavailable)
                   : run(waiting.ticket, waiting.request));
  });
}

}  // namespace escapement::simulation
