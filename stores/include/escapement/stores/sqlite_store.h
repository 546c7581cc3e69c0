// The embedded store: one folder, one SQLite file in WAL mode, `synchronous=FULL`.
//
// One thread writes: whatever waits when it becomes free shares one commit (group commit), so an
// answer costs one fsync at worst and a share of one under load. The same connection checkpoints,
// off the commit path. Queries run on a second thread with a read-only connection. A second server
// on the same folder is refused by a lock that dies with its process.
//
//   Result<SqliteOpened> opened = open_sqlite({.folder = "/var/lib/escapement"}, sink);
//   if (!opened.ok()) return opened.error();
//   opened->store->submit(1, write);
//
// `submit` may be called by any one thread; the sink is called by both threads of the store. The
// destructor executes and answers what was submitted, then closes. A failed fsync ends the process
// with exit code 70: what is durable is unknown then, and only a new start can find out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "escapement/base/result.h"
#include "escapement/engine/store_port.h"

namespace escapement::stores {

struct SqliteOptions {
  std::string folder;               // made (mode 0700) when missing; its parent must exist
  bool bump_term = true;            // false only to prove that the guard is needed
  std::int64_t max_page_count = 0;  // limit of the database in pages of 4 KiB; 0: none
};

struct SqliteOpened {
  std::unique_ptr<engine::Store> store;
  engine::Recovered recovered;
};

// Errors: `conflict` (another server has the folder, or the file is of a newer version), `invalid`
// (not a folder, missing parent, not a database, damaged), `unavailable` (no permission, no space).
// The message says what to do.
Result<SqliteOpened> open_sqlite(const SqliteOptions& options, engine::StoreSink sink);

}  // namespace escapement::stores
