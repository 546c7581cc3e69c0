#include "all.h"

namespace escapement::simulation {
namespace {

bool is_refusal(ErrorCode code) {
  return code == ErrorCode::busy || code == ErrorCode::unavailable || code == ErrorCode::full;
}

class Acknowledged final : public Checker {
 public:
  explicit Acknowledged(const CheckerContext& context)
      : Checker("acknowledged is durable (I1, I8)", context.stage, context.history) {}

  // What the store knows at a start is what was committed before: job by job.
  void on_start(const engine::Recovered& recovered) override {
    std::size_t expected = 0;
    for (const auto& [id, job] : history_.jobs()) expected += job.removed ? 0 : 1;
    expect(recovered.jobs.size() == expected, "jobs were lost over a restart");
    for (const domain::Job& job : recovered.jobs) {
      const JobRecord* record = history_.job(job.id);
      expect(record != nullptr && record->row.revision == job.revision &&
                 record->row.next_due == job.next_due,
             "job " + job.name + " came back changed");
    }
    for (const auto& [ref, acked] : jobs_) check_job(acked);
    asked_.clear();
  }

  void on_end() override {
    for (const auto& [ref, acked] : jobs_) check_job(acked);
    for (const domain::RunId id : runs_) expect(is_kept(id), text_of(id) + " is lost");
  }

  void on_send(const engine::Command& command) override {
    if (const auto* put = std::get_if<engine::PutTimers>(&command.body)) {
      for (const auto& timer : put->timers) ++asked_[{put->app, timer.key}];
    }
    // From here on nobody knows, until the answer, whether the job still exists.
    if (const auto* gone = std::get_if<engine::DeleteJob>(&command.body)) {
      jobs_.erase({gone->ref.app, gone->ref.name});
      ++deleting_[{gone->ref.app, gone->ref.name}];
    }
  }

  void on_reply(const Exchange& exchange, const engine::Reply& reply) override {
    if (const auto* put = std::get_if<engine::PutTimers>(&exchange.command.body)) {
      on_put(*put, reply);
    } else if (const auto* trigger = std::get_if<engine::TriggerJob>(&exchange.command.body)) {
      on_trigger(*trigger, reply);
    } else if (const auto* upsert = std::get_if<engine::UpsertJob>(&exchange.command.body)) {
      on_job(upsert->ref, reply);
    }
  }

 private:
  using Name = std::pair<std::string, std::string>;
  struct Acked {
    domain::JobId id;
    std::int64_t revision = 0;
  };

  void check_job(const Acked& acked) {
    const auto stored = history_.disk().jobs().find(acked.id);
    expect(stored != history_.disk().jobs().end() && stored->second.revision >= acked.revision,
           "job " + std::to_string(acked.id.value) + " was acknowledged and is lost");
  }

  bool is_kept(domain::RunId id) const {
    const RunRecord* record = history_.find(id);
    return record != nullptr && record->presence != Presence::dropped;
  }

  void keep_runs(const engine::Reply& reply) {
    const auto* runs = std::get_if<engine::RunsReply>(&*reply.result);
    if (runs == nullptr) return violate("a reply without runs");
    for (const domain::Run& run : runs->runs) {
      expect(is_kept(run.id), text_of(run) + " was acknowledged and is not stored");
      runs_.insert(run.id);
    }
  }

  void on_put(const engine::PutTimers& put, const engine::Reply& reply) {
    if (reply.result.ok()) keep_runs(reply);
    for (const auto& timer : put.timers) {
      const bool is_first = first(put.app, timer.key);
      const bool only_one = --asked_[{put.app, timer.key}] == 0 && is_first;
      const bool refused = !reply.result.ok() && is_refusal(reply.result.error().code);
      expect(!(only_one && refused) || !history_.has_timer(put.app, timer.key),
             "timer " + timer.key + " was refused and exists");
    }
  }

  // Whether this is the first answer about the key.
  bool first(const std::string& app, const std::string& key) {
    return answered_.insert({app, key}).second;
  }

  void on_trigger(const engine::TriggerJob& trigger, const engine::Reply& reply) {
    if (!reply.result.ok()) return;
    keep_runs(reply);
    const auto& runs = std::get<engine::RunsReply>(*reply.result).runs;
    if (trigger.idempotency_key.empty() || runs.empty()) return;
    const auto key = std::pair{runs.front().job_id, trigger.idempotency_key};
    domain::RunId& first = triggers_.try_emplace(key, runs.front().id).first->second;
    // With its run a key is forgotten.
    if (history_.find(first)->presence == Presence::pruned) first = runs.front().id;
    expect(first == runs.front().id, "idempotency key " + trigger.idempotency_key + ": " +
                                         text_of(first) + ", then " + text_of(runs.front()));
  }

  void on_job(const engine::JobRef& ref, const engine::Reply& reply) {
    if (!reply.result.ok()) return;
    const domain::Job& job = std::get<engine::JobReply>(*reply.result).job;
    const JobRecord* record = history_.job(job.id);
    expect(record != nullptr && record->row.revision >= job.revision,
           "job " + ref.name + " was acknowledged and is not stored");
    // A delete that is under way may come before or after: only undisturbed jobs are followed.
    if (!deleting_.contains({ref.app, ref.name})) {
      jobs_[{ref.app, ref.name}] = {job.id, job.revision};
    }
  }

  std::map<Name, Acked> jobs_;
  std::map<Name, int> deleting_;
  std::map<Name, int> asked_;  // puts of a timer's key that are under way
  std::set<Name> answered_;
  std::set<domain::RunId> runs_;
  std::map<std::pair<domain::JobId, std::string>, domain::RunId> triggers_;
};

}  // namespace

std::unique_ptr<Checker> make_acknowledged(const CheckerContext& context) {
  return std::make_unique<Acknowledged>(context);
}

}  // namespace escapement::simulation
