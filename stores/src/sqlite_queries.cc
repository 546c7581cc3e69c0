#include "sqlite_queries.h"

#include <algorithm>
#include <functional>

namespace escapement::stores {

using namespace engine;

namespace {

// A WHERE clause that grows; its values are bound in the order in which they were added.
class Filter {
 public:
  template <typename T>
  void add(const char* clause, const T& value) {
    sql_ += (sql_.empty() ? " WHERE " : " AND ") + std::string(clause);
    bindings_.push_back([value](Statement& to, int index) { to.bind_at(index, value); });
  }
  template <typename T>
  void add(const char* clause, const std::optional<T>& value) {
    if (value) add(clause, *value);
  }
  const std::string& sql() const { return sql_; }
  void bind(Statement& to) const {
    int index = 0;
    for (const auto& binding : bindings_) binding(to, ++index);
  }

 private:
  std::string sql_;
  std::vector<std::function<void(Statement&, int)>> bindings_;
};

template <typename Enum>
std::optional<std::string_view> name_of(const std::optional<Enum>& value) {
  if (!value) return std::nullopt;
  return to_string(*value);
}

// Keys are indexed in two parts, held and released; each half of the union finds its index.
constexpr const char* kKeyOfApp =
    "id IN (SELECT id FROM runs WHERE app = ?1 AND key = ?2 AND key_held = 1 UNION ALL "
    "SELECT id FROM runs WHERE app = ?1 AND key = ?2 AND key_held = 0 AND key <> '')";

Filter filter_of(const ListRuns& request) {
  Filter filter;
  filter.add("app = ?", request.app);
  bool indexed = request.app && request.key && !request.key->empty();
  filter.add(indexed ? kKeyOfApp : "key = ?", request.key);
  filter.add("job = ?", request.job);
  filter.add("state = ?", name_of(request.state));
  filter.add("origin = ?", name_of(request.origin));
  filter.add("due >= ?", request.due_from);
  filter.add("due < ?", request.due_to);
  if (request.before) filter.add("id < ?", request.before->value);
  return filter;
}

std::string list_sql(const Filter& filter, std::size_t limit) {
  auto probe = std::min<std::size_t>(limit, INT64_MAX - 1) + 1;  // one more tells whether there is
  return "SELECT " + std::string(kRunColumns) + " FROM runs" + filter.sql() +
         " ORDER BY id DESC LIMIT " + std::to_string(probe);
}

}  // namespace

Result<StoreValue> SqliteQueries::query(const ListRuns& request) {
  Filter filter = filter_of(request);
  Statement rows(db_, list_sql(filter, request.limit));
  filter.bind(rows);
  RunPage page;
  Status status = read_page(rows, request.limit, page);
  if (!status.ok()) return status.error();
  return StoreValue(std::move(page));
}

Result<StoreValue> SqliteQueries::query(const GetRun& request) {
  RunPage page;
  run_.bind(request.id.value);
  Status status = read_page(run_, 1, page);
  if (!status.ok()) return status.error();
  RunDetails details;
  if (page.runs.empty()) return StoreValue(std::move(details));
  details.run = std::move(page.runs.front());
  attempts_.bind(request.id.value);
  auto attempts = read_attempts(attempts_);
  if (!attempts.ok()) return attempts.error();
  details.attempts = *std::move(attempts);
  return StoreValue(std::move(details));
}

Result<StoreValue> SqliteQueries::query(const AuditCounters&) {
  Result<std::int64_t> live = db_.number("SELECT count(*) FROM runs WHERE state = 'planned'");
  if (!live.ok()) return live.error();
  Result<Meta> meta = read_meta(meta_);
  if (!meta.ok()) return meta.error();
  Result<domain::Counters> jobs = read_job_counters(db_);
  if (!jobs.ok()) return jobs.error();
  AuditReport report{.live_rows = *live, .counters = *jobs};
  report.counters += meta->timers;
  report.counters += meta->removed_jobs;
  return StoreValue(report);
}

Result<StoreValue> SqliteQueries::dispatch(const StoreRequest& request) {
  if (const auto* list = std::get_if<ListRuns>(&request)) return query(*list);
  if (const auto* get = std::get_if<GetRun>(&request)) return query(*get);
  return query(std::get<AuditCounters>(request));
}

Result<StoreValue> SqliteQueries::answer(const StoreRequest& request) {
  if (Status status = db_.exec("BEGIN"); !status.ok()) return status.error();
  Result<StoreValue> value = dispatch(request);
  Status ended = db_.exec("COMMIT");
  if (!ended.ok() && value.ok()) return ended.error();
  return value;
}

}  // namespace escapement::stores
