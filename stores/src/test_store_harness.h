// What the store tests share: a store that can be asked and restarted, and short ways to make rows.
//
// `StoreHarness::ask` submits and waits for the answer, so a test reads like a conversation. A new
// store joins the conformance suite with one line in `kStores` of conformance_test.cc.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "escapement/domain/codec.h"
#include "escapement/stores/memory_store.h"
#include "escapement/stores/sqlite_store.h"

namespace escapement::stores::testing {

using namespace escapement::engine;
using namespace escapement::domain;
using namespace std::chrono_literals;

inline Instant at(std::int64_t seconds) { return Instant{std::chrono::seconds{seconds}}; }

// Answers as they arrive, from whichever thread.
class Answers {
 public:
  StoreSink sink() {
    return [this](std::vector<StoreAnswer> answers) {
      std::lock_guard lock(mutex_);
      for (StoreAnswer& answer : answers) answers_.push_back(std::move(answer));
      arrived_.notify_all();
    };
  }
  // Waits until `count` answers in all have arrived since the last take, and takes them.
  std::vector<StoreAnswer> take(std::size_t count) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return answers_.size() >= count; });
    return std::exchange(answers_, {});
  }

 private:
  std::mutex mutex_;  // guards answers_
  std::condition_variable arrived_;
  std::vector<StoreAnswer> answers_;
};

class StoreHarness {
 public:
  virtual ~StoreHarness() = default;
  // A new start of the store; the first one too.
  virtual Recovered restart() = 0;
  virtual Store& store() = 0;

  Ticket submit(StoreRequest request) {
    store().submit(++ticket_, std::move(request));
    return ticket_;
  }
  Result<StoreValue> ask(StoreRequest request) {
    submit(std::move(request));
    return answers.take(1).front().result;
  }
  template <typename T>
  T get(StoreRequest request) {
    Result<StoreValue> result = ask(std::move(request));
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message);
    return result.ok() ? std::get<T>(*result) : T{};
  }
  // Rows changed by each mutation; the current term unless stated.
  Result<Written> write(std::vector<Mutation> mutations) {
    Result<StoreValue> result = ask(Write{term, std::move(mutations)});
    if (!result.ok()) return result.error();
    return std::get<Written>(*std::move(result));
  }

  Answers answers;
  Term term = 0;
  Ticket last_ticket() const { return ticket_; }

 private:
  Ticket ticket_ = 0;
};

class MemoryHarness : public StoreHarness {
 public:
  Recovered restart() override {
    Recovered recovered = open(state_);
    store_ = std::make_unique<MemoryStore>(state_, answers.sink());
    term = recovered.term;
    return recovered;
  }
  Store& store() override { return *store_; }

 private:
  MemoryState state_;
  std::unique_ptr<MemoryStore> store_;
};

// A folder that goes away with the test; in memory where many small stores are made one by one.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(bool in_memory = false) {
    bool shared_memory = in_memory && std::filesystem::is_directory("/dev/shm");
    std::filesystem::path parent =
        shared_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (parent / "stores-XXXXXX").string();
    EXPECT_NE(::mkdtemp(pattern.data()), nullptr);
    path_ = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class SqliteHarness : public StoreHarness {
 public:
  struct Options {
    std::int64_t max_page_count = 0;
    bool in_memory = false;
  };
  SqliteHarness() : SqliteHarness(Options{}) {}
  explicit SqliteHarness(Options options)
      : folder_(options.in_memory), max_page_count_(options.max_page_count) {}
  Recovered restart() override {
    store_.reset();
    Result<SqliteOpened> opened =
        open_sqlite({.folder = folder_.path(), .max_page_count = max_page_count_}, answers.sink());
    ESCAPEMENT_CHECK(opened.ok());
    store_ = std::move(opened->store);
    term = opened->recovered.term;
    return std::move(opened->recovered);
  }
  void close() { store_.reset(); }
  Store& store() override { return *store_; }
  const std::string& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  std::int64_t max_page_count_;
  std::unique_ptr<Store> store_;
};

// ---- rows ---------------------------------------------------------------------------------------

inline Job make_job(std::int64_t id, std::string name) {
  JobSpec spec{.schedule = ManualSchedule{}, .target = HttpTarget{.url = "http://localhost/job"}};
  return {.id = JobId{id},
          .app = "shop",
          .name = std::move(name),
          .spec = std::make_shared<const JobSpec>(std::move(spec)),
          .next_due = at(1000),
          .anchor = at(1),
          .created_at = at(2),
          .updated_at = at(3)};
}

inline std::shared_ptr<const TimerSpec> make_timer_spec(
    std::string url = "http://localhost/timer") {
  return std::make_shared<const TimerSpec>(TimerSpec{.target = HttpTarget{.url = std::move(url)}});
}

inline Run make_timer(std::int64_t id, std::string key, Instant due) {
  Run run;
  run.id = RunId{id};
  run.origin = RunOrigin::timer;
  run.app = "shop";
  run.key = std::move(key);
  run.due = due;
  run.next_attempt_at = due;
  run.created_at = at(5);
  run.timer = make_timer_spec();
  return run;
}

inline Run make_occurrence(std::int64_t id, const Job& job, Instant due) {
  Run run;
  run.id = RunId{id};
  run.job_id = job.id;
  run.app = job.app;
  run.job = job.name;
  run.due = due;
  run.next_attempt_at = due;
  run.created_at = at(5);
  return run;
}

inline Run make_trigger(std::int64_t id, const Job& job, std::string idempotency_key) {
  Run run = make_occurrence(id, job, at(50));
  run.origin = RunOrigin::trigger;
  run.idempotency_key = std::move(idempotency_key);
  run.payload = std::string("{\"a\":\0}", 7);
  return run;
}

inline UpdateRun finish(Run run, RunState state, Instant finished_at) {
  std::int64_t expected = run.revision;
  ++run.revision;
  run.state = state;
  run.finished_at = finished_at;
  run.tries = 1;
  run.reason = "because";
  return {.after = run, .expected_revision = expected};
}

// ---- texts of values, so that whole states compare and differences can be read
// --------------------

inline std::string text_of(std::optional<Instant> instant) {
  return instant ? std::to_string(to_micros(*instant)) : "-";
}

inline std::string text_of(const Counters& c) {
  return std::to_string(c.produced) + "=" + std::to_string(c.live()) + "+" +
         std::to_string(c.succeeded) + "+" + std::to_string(c.failed) + "+" +
         std::to_string(c.cancelled) + "+" + std::to_string(c.skipped);
}

inline std::string text_of(const Run& run) {
  std::string text = "run";
  for (std::int64_t number :
       {run.id.value, run.job_id.value, run.elapsed_term, run.revision, run.attempt, run.tries}) {
    text += " " + std::to_string(number);
  }
  for (const std::string& part : {std::string(to_string(run.origin)), run.app, run.job, run.key,
                                  std::string(to_string(run.state)), run.reason,
                                  run.idempotency_key, run.payload.value_or("-")}) {
    text += " '" + part + "'";
  }
  for (std::optional<Instant> instant : {std::optional(run.due), std::optional(run.next_attempt_at),
                                         std::optional(run.created_at), run.finished_at}) {
    text += " " + text_of(instant);
  }
  return text + (run.timer ? " " + dump_json(to_json(*run.timer)) : "") + "\n";
}

inline std::string text_of(const Attempt& attempt) {
  std::string text = "  attempt";
  for (std::int64_t number : {attempt.number, attempt.term, attempt.lateness.count(),
                              attempt.status, to_micros(attempt.started_at)}) {
    text += " " + std::to_string(number);
  }
  return text + " " + std::string(to_string(attempt.state)) + " " + text_of(attempt.finished_at) +
         " '" + attempt.error + "' '" + attempt.output + "'\n";
}

inline std::string text_of(const Job& job) {
  std::string text = "job " + std::to_string(job.id.value) + " " + job.app + "/" + job.name + " " +
                     std::to_string(job.revision);
  for (Instant instant : {job.next_due, job.anchor, job.created_at, job.updated_at}) {
    text += " " + text_of(instant);
  }
  return text + " " + text_of(job.counters) + " " + dump_json(to_json(*job.spec)) + "\n";
}

inline std::string text_of(const RunPage& page) {
  std::string text;
  for (const Run& run : page.runs) text += text_of(run);
  return text + (page.more ? "more\n" : "");
}

inline std::string text_of(const StoreValue& value) {
  if (const auto* written = std::get_if<Written>(&value)) {
    std::string text = "written";
    for (std::int64_t affected : written->affected) text += " " + std::to_string(affected);
    return text;
  }
  if (const auto* page = std::get_if<RunPage>(&value)) return text_of(*page);
  if (const auto* outcome = std::get_if<Outcome>(&value)) {
    return outcome->committed ? "committed" : "not committed";
  }
  if (const auto* details = std::get_if<RunDetails>(&value)) {
    std::string text = details->run ? text_of(*details->run) : "not found";
    for (const Attempt& attempt : details->attempts) text += text_of(attempt);
    return text;
  }
  const auto& report = std::get<AuditReport>(value);
  return "audit " + std::to_string(report.live_rows) + " " + text_of(report.counters);
}

inline std::string text_of(const Result<StoreValue>& result) {
  if (result.ok()) return text_of(*result);
  return std::string(to_string(result.error().code)) + ": " + result.error().message;
}

inline std::string text_of(const Recovered& recovered) {
  std::string text = "term " + std::to_string(recovered.term) + " after " +
                     std::to_string(recovered.previous_term) + " armed " +
                     text_of(recovered.armed.backlog) + " " + text_of(recovered.armed.from) + " " +
                     text_of(recovered.armed.until) + " " + text_of(recovered.armed.written_at) +
                     "\ntimers " + text_of(recovered.timers) + " removed " +
                     text_of(recovered.removed_jobs) + "\n";
  for (const Job& job : recovered.jobs) text += text_of(job);
  return text;
}

// Everything that can be seen of a store through the port. Restarts it.
inline std::string visible_state(StoreHarness& harness) {
  std::string text = text_of(harness.restart());
  auto all = harness.get<RunPage>(ListRuns{.limit = 1'000'000});
  for (const Run& run : all.runs) text += text_of(harness.ask(GetRun{run.id}));
  text += "live\n" + text_of(harness.ask(LoadDue{.until = kNever, .limit = 1'000'000}));
  return text + text_of(harness.ask(AuditCounters{}));
}

}  // namespace escapement::stores::testing
