// The queries of the port, each on one snapshot of a read-only connection, beside the writer.
// Used by the reader's thread only.
#pragma once

#include "sqlite_db.h"
#include "sqlite_rows.h"

namespace escapement::stores {

class SqliteQueries {
 public:
  explicit SqliteQueries(Database db) : db_(std::move(db)) {}

  Result<engine::StoreValue> answer(const engine::StoreRequest& request);

 private:
  Result<engine::StoreValue> dispatch(const engine::StoreRequest& request);
  Result<engine::StoreValue> query(const engine::ListRuns& request);
  Result<engine::StoreValue> query(const engine::GetRun& request);
  Result<engine::StoreValue> query(const engine::AuditCounters& request);

  Database db_;
  Statement run_{db_, "SELECT " + std::string(kRunColumns) + " FROM runs WHERE id = ?"};
  Statement attempts_{db_,
                      "SELECT number, term, state, started_at, finished_at, lateness_us, status, "
                      "error, output FROM attempts WHERE run_id = ? ORDER BY number"};
  Statement meta_{db_, kSelectMeta};
};

}  // namespace escapement::stores
