// A thin RAII layer over SQLite: a connection, and statements that are prepared once.
//
// A Statement is bound to its text for life, prepared at first use and reused; binding resets it.
// Values are bound by reference and must outlive the step. Failures come as house errors:
// constraint -> `conflict`, no space -> `full`, all else `unavailable`; a failed fsync ends the
// process at once (see `end_on_failed_sync`). A connection and its statements: one thread at a
// time.
//
//   Statement find(db, "SELECT app FROM runs WHERE id = ?");
//   for (find.bind(id); find.step() == Step::row;) use(find.text(0));
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "escapement/base/result.h"
#include "escapement/base/time.h"

struct sqlite3;
struct sqlite3_stmt;

namespace escapement::stores {

// Exit code of a process whose fsync failed: what reached the disk is unknown from then on.
inline constexpr int kFailedSyncExitCode = 70;
inline constexpr int kBusyTimeoutMs = 5000;
inline constexpr int kPageCacheKib = 64 * 1024;  // per connection

class Database {
 public:
  static Result<Database> open(const std::string& path);

  // One or more statements without parameters or rows.
  Status exec(const char* sql);
  // The first column of the first row, 0 without a row.
  Result<std::int64_t> number(const char* sql);

  // The last failure of this connection.
  Error error() const;
  // The file is no database, or pages in it make no sense.
  bool is_damaged() const;
  bool in_transaction() const;
  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Closer {
    void operator()(sqlite3* handle) const;
  };
  std::unique_ptr<sqlite3, Closer> handle_;
};

// Bytes that are no text.
struct Blob {
  std::string_view bytes;
};

enum class Step { row, done, failed };

class Statement {
 public:
  Statement(Database& db, std::string sql) : db_(&db), sql_(std::move(sql)) {}

  // Binds all parameters in order, from the first.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    reset();
    int index = 0;
    (bind_at(++index, values), ...);
    return *this;
  }
  void bind_at(int index, std::int64_t value);
  void bind_at(int index, std::string_view text);
  void bind_at(int index, const std::string& text) { bind_at(index, std::string_view(text)); }
  void bind_at(int index, Blob blob);
  void bind_at(int index, Instant at) { bind_at(index, to_micros(at)); }
  void bind_null(int index);
  template <typename T>
  void bind_at(int index, const std::optional<T>& value) {
    value ? bind_at(index, *value) : bind_null(index);
  }

  // `done` and `failed` reset the statement.
  Step step();
  // Steps to the end; answers how many rows were changed.
  Result<std::int64_t> execute();
  // What made the last step fail.
  Error error() const { return db_->error(); }
  void reset();

  std::int64_t number(int column) const;
  std::string text(int column) const;
  Instant instant(int column) const { return from_micros(number(column)); }
  bool is_null(int column) const;

 private:
  struct Finalizer {
    void operator()(sqlite3_stmt* statement) const;
  };
  bool prepared();

  Database* db_;
  std::string sql_;
  std::unique_ptr<sqlite3_stmt, Finalizer> statement_;
};

// Prints and exits when the code is that of a failed fsync. After one the kernel may have dropped
// the pages it could not write, and a second fsync would succeed without them: the only safe
// answer is to end, and to recover from the disk.
void end_on_failed_sync(int extended_code, const char* message);

// A refusal concerns one write alone; any other error the whole transaction.
bool is_refusal(const Error& error);

}  // namespace escapement::stores
