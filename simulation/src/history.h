// History: the simulation's own books of what the store committed and what was dispatched.
//
// After every committed write the rows it touched are read back from the store, one by one, and
// compared with the books: the difference is what checkers judge. Nothing is ever deleted, so the
// books also know runs that were dropped or pruned. One thread.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "escapement/engine/target_port.h"
#include "escapement/stores/memory_store.h"

namespace escapement::simulation {

struct Fired {
  std::int64_t number = 0;
  domain::Term term = 0;
  Now at;
};

enum class Presence { stored, dropped, pruned };

struct RunRecord {
  domain::Run row;  // as last committed
  Presence presence = Presence::stored;
  domain::Term inserted_in = 0;  // the term whose process wrote it
  std::vector<Fired> fired;
  std::optional<std::int64_t> in_flight;  // attempt whose result the process does not have yet
  Elapsed not_before = Elapsed::min();    // when elapsed_term is current: by the elapsed clock

  bool was_fired(std::int64_t number) const;
};

struct MissRecord {
  domain::Miss miss;
  domain::Term term = 0;
};

struct JobRecord {
  domain::Job row;    // the rule; counters live in `counted`
  domain::Job first;  // as created
  bool removed = false;
  bool edited = false;                  // its rule or its state was ever changed
  bool ever_overlapped = false;         // some revision allowed overlap
  std::int64_t most_attempts = 0;       // the largest max_attempts of all revisions
  domain::Counters counted;             // recounted from the rows, one by one
  std::set<domain::RunId> occurrences;  // rows that exist or existed, dropped ones not
  std::vector<MissRecord> misses;
};

struct RunChange {
  std::optional<domain::Run> before;  // nullopt: new
  const RunRecord& record;            // after
};

class History {
 public:
  explicit History(const stores::MemoryState& disk) : disk_(disk) {}

  // Books a committed write; answers what became of the rows it touched.
  std::vector<RunChange> book(const engine::Write& write, const engine::Written& written);

  const RunRecord* find(domain::RunId id) const;
  RunRecord* find(domain::RunId id);
  const std::map<domain::RunId, RunRecord>& runs() const { return runs_; }
  const std::map<domain::JobId, JobRecord>& jobs() const { return jobs_; }
  const std::set<domain::RunId>& live() const { return live_; }
  const JobRecord* job(domain::JobId id) const;
  const JobRecord* job_named(const std::string& app, const std::string& name) const;
  bool has_timer(const std::string& app, const std::string& key) const;
  const domain::Counters& timers() const { return timers_; }
  // Armed ranges that the current process has made durable.
  const engine::Armed& armed() const { return armed_; }
  const stores::MemoryState& disk() const { return disk_; }

  void on_start() { armed_ = {}; }
  void on_fired(const engine::Dispatch& dispatch, Now now);
  // True when the process was waiting for it.
  bool on_result(const engine::AttemptKey& key);
  // Attempts whose results the process has not; forgets them when it dies.
  std::int64_t in_flight() const { return static_cast<std::int64_t>(flying_.size()); }
  const std::set<domain::RunId>& flying() const { return flying_; }
  void on_death();

 private:
  void book_job(const domain::Job& job);
  void touch(const engine::Mutation& mutation, std::int64_t affected, domain::Term term);
  void touch_live(domain::JobId job);
  void touch_expired(Instant finished_before);
  void read_back(domain::RunId id, domain::Term term, std::vector<RunChange>& changes);
  void count(const RunChange& change);
  domain::Counters& counters_of(domain::JobId job);

  const stores::MemoryState& disk_;
  std::map<domain::RunId, RunRecord> runs_;
  std::map<domain::JobId, JobRecord> jobs_;
  std::map<std::pair<std::string, std::string>, domain::JobId> names_;
  std::set<std::pair<std::string, std::string>> timer_keys_;
  std::set<domain::RunId> live_;
  std::set<std::pair<Instant, domain::RunId>> finished_;
  std::set<domain::RunId> touched_;
  std::set<domain::RunId> flying_;
  domain::Counters timers_;
  engine::Armed armed_;
};

}  // namespace escapement::simulation
