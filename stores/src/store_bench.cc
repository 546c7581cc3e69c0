// What the embedded store costs: one program, one table, each line beside the disk's own floor.
//
//   store_bench [folder] [pending runs]     (default: a new folder under /tmp, 1000000)
//
// The floor is an append and fdatasync of 4 KiB, the least that any durable answer can cost here.

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <mutex>
#include <numeric>

#include "escapement/base/clock.h"
#include "escapement/stores/sqlite_store.h"

namespace escapement::stores {
namespace {

using namespace engine;
using namespace domain;

constexpr std::size_t kPage = 2'000;

// Keeps a number of requests in flight and measures each from submission to answer.
class Load {
 public:
  explicit Load(Clock& clock) : clock_(clock) {}

  StoreSink sink() {
    return [this](std::vector<StoreAnswer> answers) {
      Elapsed now = clock_.now().elapsed;
      std::lock_guard lock(mutex_);
      for (StoreAnswer& answer : answers) {
        ESCAPEMENT_CHECK(answer.result.ok());
        took_.push_back(now - sent_[answer.ticket % sent_.size()]);
        last_ = std::move(answer);
      }
      answered_.notify_one();
    };
  }

  void submit(Store& store, StoreRequest request, std::size_t in_flight) {
    Ticket ticket = 0;
    {
      std::unique_lock lock(mutex_);
      answered_.wait(lock, [&] { return ticket_ - took_.size() < in_flight; });
      ticket = ++ticket_;
      sent_[ticket % sent_.size()] = clock_.now().elapsed;
    }
    store.submit(ticket, std::move(request));
  }

  StoreAnswer drain() {
    std::unique_lock lock(mutex_);
    answered_.wait(lock, [&] { return ticket_ == took_.size(); });
    return std::move(last_);
  }

  // Forgets what was measured so far.
  std::vector<Duration> take() {
    std::lock_guard lock(mutex_);
    ticket_ = 0;
    return std::exchange(took_, {});
  }

 private:
  Clock& clock_;
  std::mutex mutex_;  // guards all below
  std::condition_variable answered_;
  std::size_t ticket_ = 0;
  std::vector<Duration> took_;
  std::vector<Elapsed> sent_ = std::vector<Elapsed>(1 << 16);
  StoreAnswer last_{0, StoreValue{}};
};

void report(const char* what, std::int64_t rows, Duration total, std::vector<Duration> took) {
  std::sort(took.begin(), took.end());
  auto at = [&](double share) {
    return took.empty() ? 0
                        : took[static_cast<std::size_t>(share * double(took.size() - 1))].count();
  };
  std::printf("%-38s %9.0f rows/s  answer p50 %6ld us  p99 %6ld us  max %6ld us\n", what,
              double(rows) * 1e6 / double(total.count()), at(0.5), at(0.99), at(1));
  std::fflush(stdout);
}

Run timer(std::int64_t id) {
  TimerSpec spec{.target = HttpTarget{.url = "http://localhost:8080/hook", .body = "{\"n\":1}"}};
  Run run;
  run.id = RunId{id};
  run.origin = RunOrigin::timer;
  run.app = "bench";
  run.key = "order-" + std::to_string(id);
  run.due = run.next_attempt_at = Instant{std::chrono::milliseconds{id}};
  run.timer = std::make_shared<const TimerSpec>(spec);
  return run;
}

UpdateRun completion(std::int64_t id) {
  Run after = timer(id);
  after.revision = 2;
  after.state = RunState::succeeded;
  after.finished_at = after.due;
  return {after, 1, Attempt{.state = AttemptState::succeeded, .status = 200}};
}

struct Series {
  const char* name;
  std::int64_t rows;
  std::int64_t rows_per_write;
  std::size_t in_flight;
};

class Bench {
 public:
  explicit Bench(std::string folder) : folder_(std::move(folder)) { open(); }

  void open() {
    store_.reset();
    Result<SqliteOpened> opened = open_sqlite({.folder = folder_}, load_.sink());
    ESCAPEMENT_CHECK(opened.ok());
    store_ = std::move(opened->store);
    term_ = opened->recovered.term;
  }

  void write(const Series& series, const std::function<Mutation(std::int64_t)>& make) {
    Elapsed start = clock_->now().elapsed;
    for (std::int64_t done = 0; done < series.rows; done += series.rows_per_write) {
      Write one{.term = term_};
      for (std::int64_t i = 0; i < series.rows_per_write; ++i)
        one.mutations.push_back(make(done + i));
      load_.submit(*store_, std::move(one), series.in_flight);
    }
    load_.drain();
    Duration total = clock_->now().elapsed - start;
    report(series.name, series.rows, total, load_.take());
  }

  void insert(const Series& series) {
    write(series, [&](std::int64_t i) { return InsertRun{timer(next_ + i)}; });
    next_ += series.rows;
  }
  void complete(const Series& series) {
    write(series, [&](std::int64_t i) { return completion(ended_ + i); });
    ended_ += series.rows;
  }

  void fill(std::int64_t pending) {
    std::int64_t missing = pending - (next_ - ended_);
    if (missing > 0) insert({"fill, batches of 1000", missing / 1000 * 1000, 1000, 8});
  }

  void restart() {
    store_.reset();
    Elapsed start = clock_->now().elapsed;
    open();
    Elapsed opened = clock_->now().elapsed;
    load_.submit(*store_, LoadDue{.until = kNever, .limit = kPage}, 1);
    StoreAnswer answer = load_.drain();
    Elapsed loaded = clock_->now().elapsed;
    load_.take();
    ESCAPEMENT_CHECK(std::get<RunPage>(*answer.result).runs.size() == kPage);
    std::printf("restart with %ld pending: open %.1f ms, first page of %zu runs %.1f ms\n",
                next_ - ended_, double((opened - start).count()) / 1e3, kPage,
                double((loaded - opened).count()) / 1e3);
  }

  void floor(std::int64_t writes) {
    std::string path = folder_ + "/floor";
    int file = ::open(path.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
    std::string block(4096, 'x');
    std::vector<Duration> took;
    Elapsed start = clock_->now().elapsed;
    for (std::int64_t i = 0; i < writes; ++i) {
      Elapsed before = clock_->now().elapsed;
      ESCAPEMENT_CHECK(::write(file, block.data(), block.size()) == 4096);
      ESCAPEMENT_CHECK(::fdatasync(file) == 0);
      took.push_back(clock_->now().elapsed - before);
    }
    report("floor: append 4 KiB and fdatasync", writes, clock_->now().elapsed - start, took);
    ::close(file);
    ::unlink(path.c_str());
  }

 private:
  std::string folder_;
  std::unique_ptr<Clock> clock_ = make_system_clock();
  Load load_{*clock_};
  std::unique_ptr<Store> store_;
  Term term_ = 0;
  std::int64_t next_ = 1;   // id of the next timer
  std::int64_t ended_ = 1;  // id of the oldest live timer
};

int run(int argc, char** argv) {
  std::string folder = argc > 1 ? argv[1] : "/tmp/escapement-store-bench";
  std::int64_t pending = argc > 2 ? std::atoll(argv[2]) : 1'000'000;
  std::filesystem::remove_all(folder);
  Bench bench(folder);
  bench.floor(2'000);
  bench.insert({"enqueue one at a time, 1 in flight", 4'000, 1, 1});
  bench.insert({"enqueue one at a time, 32 in flight", 40'000, 1, 32});
  bench.insert({"enqueue one at a time, 1000 in flight", 100'000, 1, 1000});
  bench.insert({"enqueue in batches of 1000", 100'000, 1000, 1});
  bench.complete({"complete, 1 in flight", 4'000, 1, 1});
  bench.complete({"complete, 256 in flight", 100'000, 1, 256});
  bench.fill(pending);
  bench.floor(2'000);
  bench.restart();
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace escapement::stores

int main(int argc, char** argv) { return escapement::stores::run(argc, argv); }
