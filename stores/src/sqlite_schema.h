// Opening the database file: pragmas, migrations, and the start that bumps the term.
// Used while opening, before there are threads.
#pragma once

#include "escapement/engine/store_port.h"
#include "escapement/stores/sqlite_store.h"
#include "sqlite_db.h"

namespace escapement::stores {

// The connection that writes: WAL, FULL, no automatic checkpoints, migrated to the newest version.
Result<Database> open_writer(const SqliteOptions& options);
// A connection for queries only.
Result<Database> open_reader(const SqliteOptions& options);

// Bumps the term durably (when asked) and reads what is there.
Result<engine::Recovered> start_term(Database& db, const SqliteOptions& options);

}  // namespace escapement::stores
