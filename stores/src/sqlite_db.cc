#include "sqlite_db.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cstdio>

namespace escapement::stores {

namespace {

ErrorCode code_of(int extended_code) {
  switch (extended_code & 0xff) {
    case SQLITE_CONSTRAINT:
      return ErrorCode::conflict;
    case SQLITE_FULL:
      return ErrorCode::full;
    default:
      return ErrorCode::unavailable;
  }
}

}  // namespace

void end_on_failed_sync(int code, const char* message) {
  if (code != SQLITE_IOERR_FSYNC && code != SQLITE_IOERR_DIR_FSYNC) return;
  std::fprintf(stderr, "escapement: fsync of the store failed (%s); ending at once\n", message);
  std::fflush(stderr);
  ::_exit(kFailedSyncExitCode);
}

void Database::Closer::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }

Result<Database> Database::open(const std::string& path) {
  constexpr int kFlags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
  Database db;
  sqlite3* handle = nullptr;
  int code = sqlite3_open_v2(path.c_str(), &handle, kFlags, nullptr);
  db.handle_.reset(handle);
  if (code != SQLITE_OK) return db.error();
  sqlite3_busy_timeout(handle, kBusyTimeoutMs);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return db;
}

Status Database::exec(const char* sql) {
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return error();
}

Result<std::int64_t> Database::number(const char* sql) {
  Statement statement(*this, sql);
  switch (statement.step()) {
    case Step::row:
      return statement.number(0);
    case Step::done:
      return 0;
    default:
      return error();
  }
}

Error Database::error() const {
  int code = sqlite3_extended_errcode(handle());
  const char* message = sqlite3_errmsg(handle());
  end_on_failed_sync(code, message);
  return {code_of(code),
          "sqlite: " + std::string(message) + " (code " + std::to_string(code) + ")",
          {}};
}

bool Database::is_damaged() const {
  int code = sqlite3_errcode(handle()) & 0xff;
  return code == SQLITE_NOTADB || code == SQLITE_CORRUPT;
}

bool Database::in_transaction() const { return sqlite3_get_autocommit(handle()) == 0; }

void Statement::Finalizer::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

bool Statement::prepared() {
  if (statement_) return true;
  sqlite3_stmt* statement = nullptr;
  sqlite3_prepare_v3(db_->handle(), sql_.data(), static_cast<int>(sql_.size()),
                     SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  statement_.reset(statement);
  return statement != nullptr;
}

void Statement::bind_at(int index, std::int64_t value) {
  if (prepared()) sqlite3_bind_int64(statement_.get(), index, value);
}

void Statement::bind_at(int index, std::string_view text) {
  const char* data = text.data() ? text.data() : "";
  if (prepared()) {
    sqlite3_bind_text64(statement_.get(), index, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  }
}

void Statement::bind_at(int index, Blob blob) {
  const char* data = blob.bytes.data() ? blob.bytes.data() : "";
  if (prepared()) {
    sqlite3_bind_blob64(statement_.get(), index, data, blob.bytes.size(), SQLITE_STATIC);
  }
}

void Statement::bind_null(int index) {
  if (prepared()) sqlite3_bind_null(statement_.get(), index);
}

Step Statement::step() {
  if (!prepared()) {
    db_->error();  // ends the process when it must
    return Step::failed;
  }
  int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return Step::row;
  if (code != SQLITE_DONE) db_->error();
  reset();
  return code == SQLITE_DONE ? Step::done : Step::failed;
}

Result<std::int64_t> Statement::execute() {
  Step last = step();
  while (last == Step::row) last = step();
  if (last == Step::failed) return error();
  return sqlite3_changes64(db_->handle());
}

void Statement::reset() {
  if (statement_) sqlite3_reset(statement_.get());
}

std::int64_t Statement::number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::text(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
  return size == 0 ? std::string() : std::string(static_cast<const char*>(data), size);
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

bool is_refusal(const Error& error) {
  return error.code == ErrorCode::conflict || error.code == ErrorCode::invalid ||
         error.code == ErrorCode::fenced;
}

}  // namespace escapement::stores
