// The loads of the port: reads that are executed in order with the writes, on their connection.
// Used by the writer's thread only.
#pragma once

#include "sqlite_db.h"
#include "sqlite_rows.h"

namespace escapement::stores {

// The page after the cursor, in two ordered index scans: the rest of the cursor's own instant by
// id, then all later instants. Neither sorts (see SqliteStore.LoadsByIndexWithoutSorting).
std::string load_same_instant_sql();
std::string load_later_sql();

class SqliteLoads {
 public:
  explicit SqliteLoads(Database& db);

  Result<engine::StoreValue> load(const engine::LoadDue& request);
  Result<engine::StoreValue> load(const engine::FindTimers& request);
  Result<engine::StoreValue> load(const engine::FindRun& request);
  Result<engine::StoreValue> load(const engine::FindOutcome& request);
  Result<Meta> meta() { return read_meta(select_meta_); }

 private:
  Status load_same_instant(const engine::LoadDue& request, engine::RunPage& page);
  Status load_later(const engine::LoadDue& request, engine::RunPage& page);

  Statement same_instant_;
  Statement later_;
  Statement by_key_;
  Statement by_id_;
  Statement select_meta_;
};

}  // namespace escapement::stores
