// Rows to values and back: the one place that knows the order of columns.
//
// Specs are kept as the JSON of the domain's codec. Reading answers `unavailable` when a row does
// not make sense, with the row's id. A statement and its connection: one thread at a time.
#pragma once

#include <string>

#include "escapement/engine/store_port.h"
#include "sqlite_db.h"

namespace escapement::stores {

// What the row of `meta` says.
struct Meta {
  std::string store_name;
  domain::Term term = 0;
  engine::Ticket last_ticket = 0;
  engine::Armed armed;
  domain::Counters timers;
  domain::Counters removed_jobs;
};

inline constexpr std::string_view kRunColumns =
    "id, job_id, origin, app, job, key, due, next_attempt_at, elapsed_term, revision, state, "
    "attempt, tries, created_at, finished_at, reason, idempotency_key, payload, timer";

Result<domain::Run> read_run(const Statement& row);
// The rest of the statement's rows as a page; a row beyond `limit` only says that there is more.
Status read_page(Statement& rows, std::size_t limit, engine::RunPage& page);
Result<std::vector<domain::Attempt>> read_attempts(Statement& rows);
Result<std::vector<domain::Job>> read_jobs(Database& db);
// No row: a default Meta with term 0 and no name.
Result<Meta> read_meta(Statement& select);

inline constexpr const char* kSelectMeta =
    "SELECT store_name, term, last_ticket, armed_backlog, armed_from, armed_until, "
    "armed_written_at, timers_produced, timers_succeeded, timers_failed, timers_cancelled, "
    "timers_skipped, removed_produced, removed_succeeded, removed_failed, removed_cancelled, "
    "removed_skipped FROM meta";
// Replaces the row; parameters as bound by write_meta.
inline constexpr const char* kWriteMeta =
    "INSERT OR REPLACE INTO meta VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";
Status write_meta(Statement& write, const Meta& meta);

// Sum over all jobs.
Result<domain::Counters> read_job_counters(Database& db);

}  // namespace escapement::stores
