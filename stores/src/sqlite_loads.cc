#include "sqlite_loads.h"

#include <algorithm>

#include "write_rules.h"

namespace escapement::stores {

using namespace engine;

namespace {

std::string select_runs(const std::string& rest) {
  return "SELECT " + std::string(kRunColumns) + " FROM runs " + rest;
}

// One more row than asked for tells whether there is more.
std::int64_t with_probe(std::size_t limit) {
  return static_cast<std::int64_t>(std::min<std::size_t>(limit, INT64_MAX - 1)) + 1;
}

}  // namespace

std::string load_same_instant_sql() {
  return select_runs(
      "WHERE state = 'planned' AND next_attempt_at = ? AND id > ? ORDER BY id LIMIT ?");
}

std::string load_later_sql() {
  return select_runs(
      "WHERE state = 'planned' AND next_attempt_at >= ? AND next_attempt_at <= ? "
      "ORDER BY next_attempt_at, id LIMIT ?");
}

SqliteLoads::SqliteLoads(Database& db)
    : same_instant_(db, load_same_instant_sql()),
      later_(db, load_later_sql()),
      by_key_(db, select_runs("WHERE app = ? AND key = ? AND key_held = 1")),
      by_id_(db, select_runs("WHERE id = ?")),
      select_meta_(db, kSelectMeta) {}

Status SqliteLoads::load_same_instant(const LoadDue& request, RunPage& page) {
  if (request.cursor_at < request.from || request.cursor_at > request.until) return {};
  same_instant_.bind(request.cursor_at, request.cursor_id.value, with_probe(request.limit));
  return read_page(same_instant_, request.limit, page);
}

Status SqliteLoads::load_later(const LoadDue& request, RunPage& page) {
  if (page.more || request.cursor_at == Instant::max()) return {};
  bool cursor_is_later = request.cursor_at >= request.from;
  Instant from = cursor_is_later ? request.cursor_at + Duration{1} : request.from;
  later_.bind(from, request.until, with_probe(request.limit - page.runs.size()));
  return read_page(later_, request.limit, page);
}

Result<StoreValue> SqliteLoads::load(const LoadDue& request) {
  RunPage page;
  Status status = load_same_instant(request, page);
  if (status.ok()) status = load_later(request, page);
  if (!status.ok()) return status.error();
  return StoreValue(std::move(page));
}

Result<StoreValue> SqliteLoads::load(const FindTimers& request) {
  if (Status status = check_timer_keys(request); !status.ok()) return status.error();
  RunPage page;
  for (const std::string& key : request.keys) {
    by_key_.bind(request.app, key);
    Status status = read_page(by_key_, SIZE_MAX, page);
    if (!status.ok()) return status.error();
  }
  return StoreValue(std::move(page));
}

Result<StoreValue> SqliteLoads::load(const FindRun& request) {
  RunPage page;
  by_id_.bind(request.id.value);
  Status status = read_page(by_id_, SIZE_MAX, page);
  if (!status.ok()) return status.error();
  return StoreValue(std::move(page));
}

Result<StoreValue> SqliteLoads::load(const FindOutcome& request) {
  Result<Meta> now = meta();
  if (!now.ok()) return now.error();
  return StoreValue(Outcome{request.write <= now->last_ticket});
}

}  // namespace escapement::stores
