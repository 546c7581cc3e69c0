#include "sqlite_checkpoints.h"

#include <sqlite3.h>

#include "sqlite_db.h"

namespace escapement::stores {

Checkpoints::Checkpoints(sqlite3* handle) : handle_(handle) {
  sqlite3_wal_hook(handle, &Checkpoints::committed, this);
}

int Checkpoints::committed(void* self, sqlite3*, const char*, int pages) {
  auto* checkpoints = static_cast<Checkpoints*>(self);
  if (pages < checkpoints->log_pages_) checkpoints->copied_pages_ = 0;  // the log started over
  checkpoints->log_pages_ = pages;
  return SQLITE_OK;
}

void Checkpoints::run_if_due(bool idle) {
  int threshold = idle ? kIdleCheckpointPages : kForcedCheckpointPages;
  if (log_pages_ - copied_pages_ >= threshold) run();
}

void Checkpoints::run() {
  int code =
      sqlite3_wal_checkpoint_v2(handle_, nullptr, SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr);
  if (code != SQLITE_OK) end_on_failed_sync(code, sqlite3_errmsg(handle_));
  copied_pages_ = log_pages_;
}

}  // namespace escapement::stores
