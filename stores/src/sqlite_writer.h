// The writer: the thread whose commits make things durable, and the loads that are ordered with
// them.
//
// It takes everything that waits, up to BatchLimits, as one transaction: each write inside a
// savepoint, so that a refused one fails alone; loads in their place between them. Then it commits
// once and answers all in order. When the transaction fails as a whole nothing of it happened:
// every write in it gets that error, and the loads are executed again on what is really there.
// Loads without a write need no transaction. Constructed by one thread, ended by its destructor,
// which first executes and answers what was submitted.
#pragma once

#include <thread>

#include "request_queue.h"
#include "sqlite_checkpoints.h"
#include "sqlite_db.h"
#include "sqlite_loads.h"
#include "sqlite_mutations.h"

namespace escapement::stores {

class SqliteWriter {
 public:
  SqliteWriter(Database db, engine::StoreSink sink);
  ~SqliteWriter();

  void submit(QueuedRequest request) { queue_.push(std::move(request)); }

 private:
  using Batch = std::vector<QueuedRequest>;
  using Answers = std::vector<engine::StoreAnswer>;

  void serve();
  Answers answer(const Batch& batch);
  // The answers in order; an error when the transaction as a whole failed.
  Result<Answers> commit(const Batch& batch);
  Result<Answers> execute_all(const Batch& batch, Meta& meta);
  Answers answer_failed(const Batch& batch, const Error& failure);
  Result<engine::Written> execute(const QueuedRequest& queued, Meta& meta);
  Result<engine::StoreValue> load(const engine::StoreRequest& request, const Meta* meta);
  void roll_back();

  Database db_;
  engine::StoreSink sink_;
  SqliteLoads loads_{db_};
  SqliteMutations mutations_{db_};
  Statement begin_{db_, "BEGIN IMMEDIATE"};
  Statement commit_{db_, "COMMIT"};
  Statement savepoint_{db_, "SAVEPOINT one"};
  Statement release_{db_, "RELEASE one"};
  Statement undo_{db_, "ROLLBACK TO one"};
  Statement write_meta_{db_, kWriteMeta};
  Checkpoints checkpoints_{db_.handle()};
  RequestQueue queue_;
  std::thread thread_;
};

}  // namespace escapement::stores
