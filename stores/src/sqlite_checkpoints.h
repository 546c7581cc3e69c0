// When the write-ahead log is copied back into the database: when nothing waits, or it is too big.
//
// It runs on the writer's own connection, because SQLite up to 3.51.2 may lose a reset of the log
// when one connection writes while another one checkpoints. PASSIVE: it waits for no reader. Used
// by the writer's thread only.
#pragma once

struct sqlite3;

namespace escapement::stores {

inline constexpr int kIdleCheckpointPages = 4'000;     // 16 MB: worth doing when nobody waits
inline constexpr int kForcedCheckpointPages = 32'000;  // 128 MB: done even while requests wait

class Checkpoints {
 public:
  explicit Checkpoints(sqlite3* handle);
  Checkpoints(const Checkpoints&) = delete;
  Checkpoints& operator=(const Checkpoints&) = delete;

  // Checkpoints when the log has grown enough since the last time. Failures are left to the next
  // time: the log still has everything.
  void run_if_due(bool idle);
  // Checkpoints now: after the disk was full, so that the log starts over and space is found again.
  void run();

 private:
  static int committed(void* self, sqlite3* handle, const char* name, int pages);

  sqlite3* handle_;
  int log_pages_ = 0;     // in the log after the last commit
  int copied_pages_ = 0;  // of them, when the last checkpoint ran
};

}  // namespace escapement::stores
