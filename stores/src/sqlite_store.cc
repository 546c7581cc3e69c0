#include "escapement/stores/sqlite_store.h"

#include "sqlite_folder.h"
#include "sqlite_queries.h"
#include "sqlite_schema.h"
#include "sqlite_writer.h"

namespace escapement::stores {

using namespace engine;

namespace {

// The thread that answers queries, each on a snapshot of its own.
class SqliteReader {
 public:
  SqliteReader(Database db, StoreSink sink)
      : queries_(std::move(db)), sink_(std::move(sink)), thread_([this] { serve(); }) {}
  ~SqliteReader() {
    queue_.close();
    thread_.join();
  }
  void submit(QueuedRequest request) { queue_.push(std::move(request)); }

 private:
  void serve() {
    for (auto batch = queue_.take(); !batch.empty(); batch = queue_.take()) {
      for (const QueuedRequest& queued : batch) {
        std::vector<StoreAnswer> answers;
        answers.push_back({queued.ticket, queries_.answer(queued.request)});
        sink_(std::move(answers));
      }
    }
  }

  SqliteQueries queries_;
  StoreSink sink_;
  RequestQueue queue_;
  std::thread thread_;
};

bool is_query(const StoreRequest& request) {
  return std::holds_alternative<ListRuns>(request) || std::holds_alternative<GetRun>(request) ||
         std::holds_alternative<AuditCounters>(request);
}

// Members are destroyed in reverse: reader, writer (the last connection, which checkpoints at its
// close), then the lock.
class SqliteStore : public Store {
 public:
  struct Parts {
    FolderLock lock;
    Database writer;
    Database reader;
  };
  SqliteStore(Parts parts, const StoreSink& sink)
      : lock_(std::move(parts.lock)),
        writer_(std::move(parts.writer), sink),
        reader_(std::move(parts.reader), sink) {}

  void submit(Ticket ticket, StoreRequest request) override {
    QueuedRequest queued{ticket, std::move(request)};
    is_query(queued.request) ? reader_.submit(std::move(queued))
                             : writer_.submit(std::move(queued));
  }

 private:
  FolderLock lock_;
  SqliteWriter writer_;
  SqliteReader reader_;
};

}  // namespace

Result<SqliteOpened> open_sqlite(const SqliteOptions& options, StoreSink sink) {
  Result<FolderLock> lock = FolderLock::acquire(options.folder);
  if (!lock.ok()) return lock.error();
  Result<Database> writer = open_writer(options);
  if (!writer.ok()) return writer.error();
  Result<Recovered> recovered = start_term(*writer, options);
  if (!recovered.ok()) return recovered.error();
  Result<Database> reader = open_reader(options);
  if (!reader.ok()) return reader.error();
  SqliteStore::Parts parts{*std::move(lock), *std::move(writer), *std::move(reader)};
  return SqliteOpened{std::make_unique<SqliteStore>(std::move(parts), sink), *std::move(recovered)};
}

}  // namespace escapement::stores
