// Commands about jobs: upsert, delete, pause, resume, trigger.
//
// One unresolved write per job; the rest queue behind it. An edit deletes the planned occurrences
// that were never armed and plans anew from behind the last armed one.
#pragma once

#include "keeper.h"
#include "planner.h"

namespace escapement::engine {

class JobCommands {
 public:
  JobCommands(Core& core, Keeper& keeper, Planner& planner)
      : core_(core), keeper_(keeper), planner_(planner) {}

  void upsert(std::uint64_t number, const UpsertJob& command);
  void remove(std::uint64_t number, const DeleteJob& command);
  void pause(std::uint64_t number, const JobRef& ref, bool paused);
  void trigger(std::uint64_t number, const TriggerJob& command);
  void show(std::uint64_t number, const JobRef& ref);
  void list(std::uint64_t number, const ListJobs& command);

 private:
  using SpecPtr = std::shared_ptr<const domain::JobSpec>;

  JobPtr find(const JobRef& ref);
  // Finds the job and runs `work` when it is free; answers not_found when there is none by then.
  void with_job(std::uint64_t number, const JobRef& ref, std::function<void(JobPtr)> work);
  void create(std::uint64_t number, const UpsertJob& command);
  void edit(std::uint64_t number, const JobPtr& job, const SpecPtr& spec);
  void on_edited(std::uint64_t number, const JobPtr& job, const domain::Job& row,
                 const Result<Written>& result);
  Instant next_due_after_edit(const JobState& job, const domain::Job& row, Instant bound) const;
  static bool drops(const LiveRun& run, Instant bound);
  std::int64_t forget_dropped(const JobPtr& job, Instant bound);
  void remove_free(std::uint64_t number, const JobPtr& job);
  void on_removed(std::uint64_t number, const JobPtr& job, const std::vector<RunId>& held,
                  const Result<Written>& result);
  void fail(std::uint64_t number, Error error);
  void reply_job(std::uint64_t number, const JobPtr& job, bool created);

  Core& core_;
  Keeper& keeper_;
  Planner& planner_;
};

}  // namespace escapement::engine
