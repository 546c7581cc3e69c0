// The mutations of the port as SQL, each inside the writer's open transaction.
//
// `meta` is the row of that name, read when the transaction began; mutations change it in memory
// and the writer puts it back once per commit. The unique indexes and the WHERE clauses are the
// preconditions. Used by the writer's thread only.
#pragma once

#include "sqlite_db.h"
#include "sqlite_rows.h"

namespace escapement::stores {

class SqliteMutations {
 public:
  explicit SqliteMutations(Database& db);

  // The write's mutations in order. A refusal may leave part of them done: the caller rolls back.
  Result<engine::Written> apply(const engine::Write& write, Meta& meta);

 private:
  using Affected = Result<std::int64_t>;

  Affected apply(const engine::PutJob& put);
  Affected apply(const engine::RemoveJob& remove);
  Affected apply(const engine::AdvanceJob& advance);
  Affected apply(const engine::InsertRun& insert);
  Affected apply(const engine::UpdateRun& update);
  Affected apply(const engine::ReleaseKey& release);
  Affected apply(const engine::DropPlanned& drop);
  Affected apply(const engine::CancelPlanned& cancel);
  Affected apply(const engine::AddMiss& add);
  Affected apply(const engine::SetArmed& set);
  Affected apply(const engine::ShiftElapsed& shift);
  Affected apply(const engine::Prune& prune);

  Affected create_job(const domain::Job& job);
  Affected replace_job(const engine::PutJob& put);
  Affected update_row(const engine::UpdateRun& update);
  Affected put_attempt(domain::RunId run, const domain::Attempt& attempt);
  // Adds to the counters of the job, of timers (job 0) or of removed jobs (the row is gone).
  Status count(domain::JobId job, const domain::Counters& counts);
  // Counts and answers `affected`.
  Affected counted(domain::JobId job, const domain::Counters& counts, std::int64_t affected);

  Meta* meta_ = nullptr;  // of the transaction that is open
  Statement insert_job_;
  Statement update_job_;
  Statement job_counters_;
  Statement delete_job_;
  Statement advance_job_;
  Statement count_;
  Statement insert_run_;
  Statement update_run_;
  Statement update_timer_;
  Statement put_attempt_;
  Statement release_key_;
  Statement holds_key_;
  Statement drop_planned_;
  Statement cancel_planned_;
  Statement add_miss_;
  Statement shift_later_;
  Statement shift_earlier_;
  Statement prune_runs_;
  Statement prune_misses_;
};

}  // namespace escapement::stores
