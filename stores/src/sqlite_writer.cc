#include "sqlite_writer.h"

#include <algorithm>

namespace escapement::stores {

using namespace engine;

namespace {

bool is_write(const QueuedRequest& queued) { return std::holds_alternative<Write>(queued.request); }

// RELEASE and its like answer no rows; only whether they worked matters.
Status run(Statement& statement) {
  Result<std::int64_t> result = statement.execute();
  return result.ok() ? Status() : Status(result.error());
}

}  // namespace

SqliteWriter::SqliteWriter(Database db, StoreSink sink)
    : db_(std::move(db)), sink_(std::move(sink)), thread_([this] { serve(); }) {}

SqliteWriter::~SqliteWriter() {
  queue_.close();
  thread_.join();
}

void SqliteWriter::serve() {
  while (true) {
    checkpoints_.run_if_due(queue_.is_empty());
    Batch batch = queue_.take();
    if (batch.empty()) return;
    sink_(answer(batch));
  }
}

SqliteWriter::Answers SqliteWriter::answer(const Batch& batch) {
  if (std::none_of(batch.begin(), batch.end(), is_write)) {
    Answers answers;
    for (const QueuedRequest& queued : batch) {
      answers.push_back({queued.ticket, load(queued.request, nullptr)});
    }
    return answers;
  }
  Result<Answers> committed = commit(batch);
  return committed.ok() ? *std::move(committed) : answer_failed(batch, committed.error());
}

Result<SqliteWriter::Answers> SqliteWriter::commit(const Batch& batch) {
  if (Status begun = run(begin_); !begun.ok()) return begun.error();
  Result<Meta> meta = loads_.meta();
  if (!meta.ok()) return meta.error();
  Result<Answers> answers = execute_all(batch, *meta);
  if (!answers.ok()) return answers;
  Status status = write_meta(write_meta_, *meta);
  if (status.ok()) status = run(commit_);
  if (!status.ok()) return status.error();
  return answers;
}

Result<SqliteWriter::Answers> SqliteWriter::execute_all(const Batch& batch, Meta& meta) {
  Answers answers;
  for (const QueuedRequest& queued : batch) {
    if (!is_write(queued)) {
      answers.push_back({queued.ticket, load(queued.request, &meta)});
      continue;
    }
    Result<Written> written = execute(queued, meta);
    if (written.ok()) {
      answers.push_back({queued.ticket, StoreValue(*std::move(written))});
    } else if (is_refusal(written.error())) {
      answers.push_back({queued.ticket, written.error()});
    } else {
      return written.error();
    }
  }
  return answers;
}

Result<Written> SqliteWriter::execute(const QueuedRequest& queued, Meta& meta) {
  if (Status saved = run(savepoint_); !saved.ok()) return saved.error();
  Meta changed = meta;
  Result<Written> written = mutations_.apply(std::get<Write>(queued.request), changed);
  if (written.ok()) {
    meta = changed;
    meta.last_ticket = std::max(meta.last_ticket, queued.ticket);
  } else if (!is_refusal(written.error())) {
    return written;
  } else if (Status undone = run(undo_); !undone.ok()) {
    return undone.error();
  }
  if (Status released = run(release_); !released.ok()) return released.error();
  return written;
}

SqliteWriter::Answers SqliteWriter::answer_failed(const Batch& batch, const Error& failure) {
  roll_back();
  if (failure.code == ErrorCode::full) checkpoints_.run();
  Answers answers;
  for (const QueuedRequest& queued : batch) {
    answers.push_back({queued.ticket, is_write(queued) ? Result<StoreValue>(failure)
                                                       : load(queued.request, nullptr)});
  }
  return answers;
}

Result<StoreValue> SqliteWriter::load(const StoreRequest& request, const Meta* meta) {
  // Inside a transaction the row of meta is not written yet.
  const auto* outcome = std::get_if<FindOutcome>(&request);
  if (outcome && meta) return StoreValue(Outcome{outcome->write <= meta->last_ticket});
  return std::visit(
      [this](const auto& one) -> Result<StoreValue> {
        if constexpr (requires { loads_.load(one); }) return loads_.load(one);
        ESCAPEMENT_CHECK(!"a load");
      },
      request);
}

void SqliteWriter::roll_back() {
  // SQLite has rolled back by itself after some failures. When it cannot, the connection is useless
  // and the file is as the last commit left it: end, and let the next start recover.
  if (db_.in_transaction()) ESCAPEMENT_CHECK(db_.exec("ROLLBACK").ok());
}

}  // namespace escapement::stores
