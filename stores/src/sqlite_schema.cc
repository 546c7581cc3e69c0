#include "sqlite_schema.h"

#include <random>

#include "sqlite_migrations.h"
#include "sqlite_rows.h"

namespace escapement::stores {

using namespace engine;

namespace {

constexpr std::size_t kStoreNameLength = 10;
constexpr std::string_view kStoreNameLetters = "abcdefghijklmnopqrstuvwxyz234567";
constexpr std::int64_t kWalBytesKept = 64 * 1024 * 1024;  // of the file, once it was bigger

std::string path_of(const SqliteOptions& options) { return options.folder + "/escapement.db"; }

// What a person should do about a failure while opening.
Error opening_error(const Database& db, const SqliteOptions& options, const Error& why) {
  if (db.is_damaged()) {
    return {ErrorCode::invalid,
            path_of(options) + " is damaged or no database (" + why.message +
                "); restore a backup, or move the file away to start empty",
            "folder"};
  }
  return {why.code, path_of(options) + " cannot be opened: " + why.message, {}};
}

Error newer_version_error(const SqliteOptions& options, std::int64_t version) {
  return {ErrorCode::conflict,
          path_of(options) + " has version " + std::to_string(version) + ", this program knows " +
              std::to_string(migrations().size()) +
              "; use the newer program that wrote it, or another folder",
          "folder"};
}

Status set_pragmas(Database& db, const std::string& own) {
  std::string common = "PRAGMA cache_size = -" + std::to_string(kPageCacheKib) +
                       ";"
                       "PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON;";
  return db.exec((own + common).c_str());
}

Status set_writer_pragmas(Database& db, const SqliteOptions& options) {
  std::string own =
      "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
      "PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = " +
      std::to_string(kWalBytesKept) + ";";
  if (options.max_page_count > 0) {
    own += "PRAGMA max_page_count = " + std::to_string(options.max_page_count) + ";";
  }
  return set_pragmas(db, own);
}

Status migrate_to(Database& db, std::size_t version) {
  std::string sql = "BEGIN IMMEDIATE;" + std::string(migrations()[version - 1].sql) +
                    ";PRAGMA user_version = " + std::to_string(version) + ";COMMIT";
  return db.exec(sql.c_str());  // a failure closes the connection, which rolls back
}

Status migrate(Database& db, std::int64_t version) {
  for (auto next = static_cast<std::size_t>(version) + 1; next <= migrations().size(); ++next) {
    Status status = migrate_to(db, next);
    if (!status.ok()) return status;
  }
  return {};
}

std::string random_store_name() {
  std::random_device random;
  std::string name;
  while (name.size() < kStoreNameLength) {
    name += kStoreNameLetters[random() % kStoreNameLetters.size()];
  }
  return name;
}

Result<Meta> bump(Database& db, bool bump_term) {
  Statement select(db, kSelectMeta);
  Result<Meta> meta = read_meta(select);
  if (!meta.ok()) return meta;
  if (meta->store_name.empty()) meta->store_name = random_store_name();
  if (bump_term || meta->term == 0) {
    ++meta->term;
    meta->last_ticket = 0;
  }
  Statement write(db, kWriteMeta);
  Status status = write_meta(write, *meta);
  if (!status.ok()) return status.error();
  return meta;
}

Result<Recovered> start_in_transaction(Database& db, bool bump_term) {
  Statement select(db, kSelectMeta);
  Result<Meta> before = read_meta(select);
  if (!before.ok()) return before.error();
  Result<Meta> meta = bump(db, bump_term);
  if (!meta.ok()) return meta.error();
  auto jobs = read_jobs(db);
  if (!jobs.ok()) return jobs.error();
  return Recovered{.store_name = meta->store_name,
                   .term = meta->term,
                   .previous_term = before->term,
                   .armed = meta->armed,
                   .jobs = *std::move(jobs),
                   .timers = meta->timers,
                   .removed_jobs = meta->removed_jobs};
}

}  // namespace

Result<Database> open_writer(const SqliteOptions& options) {
  Result<Database> db = Database::open(path_of(options));
  if (!db.ok()) return db;
  // Before the pragmas: a newer program's file must not even be touched.
  Result<std::int64_t> version = db->number("PRAGMA user_version");
  if (!version.ok()) return opening_error(*db, options, version.error());
  if (*version > static_cast<std::int64_t>(migrations().size())) {
    return newer_version_error(options, *version);
  }
  Status status = set_writer_pragmas(*db, options);
  if (status.ok()) status = migrate(*db, *version);
  if (!status.ok()) return opening_error(*db, options, status.error());
  return db;
}

Result<Database> open_reader(const SqliteOptions& options) {
  Result<Database> db = Database::open(path_of(options));
  if (!db.ok()) return db;
  Status status = set_pragmas(*db, "PRAGMA query_only = ON;");
  if (!status.ok()) return opening_error(*db, options, status.error());
  return db;
}

Result<Recovered> start_term(Database& db, const SqliteOptions& options) {
  Status begun = db.exec("BEGIN IMMEDIATE");
  if (!begun.ok()) return opening_error(db, options, begun.error());
  Result<Recovered> recovered = start_in_transaction(db, options.bump_term);
  if (!recovered.ok()) return opening_error(db, options, recovered.error());
  Status committed = db.exec("COMMIT");
  if (!committed.ok()) return opening_error(db, options, committed.error());
  return recovered;
}

}  // namespace escapement::stores
