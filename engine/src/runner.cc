#include "escapement/engine/runner.h"

#include <mutex>
#include <thread>
#include <unordered_map>

namespace escapement::engine {

namespace {

constexpr Duration kStoreGrace = std::chrono::seconds{3};  // for commits under way, at a stop

}  // namespace

class Runner::Impl : public std::enable_shared_from_this<Runner::Impl> {
 public:
  Impl(Clock& clock, NoticeHandler on_notice) : clock_(clock), on_notice_(std::move(on_notice)) {}

  void start(EngineOptions options, Recovered recovered, Store& store, TargetPort& targets) {
    store_ = &store;
    targets_ = &targets;
    engine_ = std::make_unique<Engine>(options, std::move(recovered), clock_.now());
    thread_ = std::thread([this] { loop(); });
  }

  void enqueue(Event event) {
    {
      const std::lock_guard lock(mutex_);
      inbox_.push_back(std::move(event));
      if (inbox_.size() > 1) return;  // whoever made it one has woken the thread
    }
    clock_.wake();
  }

  void submit(CommandBody body, ReplyHandler handler) {
    std::uint64_t number = 0;
    {
      const std::lock_guard lock(mutex_);
      if (!stopped_) {
        number = ++last_number_;
        handlers_.emplace(number, std::move(handler));
      }
    }
    if (number == 0) {
      Error error{ErrorCode::unavailable, "the server is stopping", ""};
      return handler(Reply{0, std::move(error), std::nullopt});
    }
    enqueue(Command{number, std::move(body)});
  }

  void stop(Duration grace) {
    if (!thread_.joinable()) return;
    {
      const std::lock_guard lock(mutex_);
      grace_ = grace;
      stopping_ = true;
    }
    enqueue(Drain{});
    clock_.wake();
    thread_.join();
    answer_the_rest();
  }

 private:
  void loop() {
    while (!finished()) {
      std::vector<Event> events = take();
      const Now now = clock_.now();
      add_abort(now, events);
      for (Action& action : engine_->step(now, std::move(events))) carry_out(std::move(action));
      Deadline deadline = engine_->next_wakeup();
      if (draining_) deadline.elapsed = std::min({deadline.elapsed, abort_at_, give_up_at_});
      if (!finished() && !has_events()) clock_.wait_until(deadline);
    }
  }

  bool finished() {
    if (!draining_) return false;
    return engine_->idle() ? !has_events() : clock_.now().elapsed >= give_up_at_;
  }

  std::vector<Event> take() {
    const std::lock_guard lock(mutex_);
    if (stopping_ && !draining_) {
      draining_ = true;
      abort_at_ = saturating_add(clock_.now().elapsed, grace_);
      give_up_at_ = saturating_add(abort_at_, kStoreGrace);
    }
    return std::exchange(inbox_, {});
  }

  void add_abort(Now now, std::vector<Event>& events) {
    if (!draining_ || now.elapsed < abort_at_) return;
    abort_at_ = kNeverElapsed;
    events.push_back(Drain{true});
  }

  bool has_events() {
    const std::lock_guard lock(mutex_);
    return !inbox_.empty();
  }

  void carry_out(Action action) {
    if (auto* request = std::get_if<StoreAction>(&action)) {
      store_->submit(request->ticket, std::move(request->request));
    } else if (auto* dispatch = std::get_if<Dispatch>(&action)) {
      targets_->start(std::move(*dispatch));
    } else if (auto* abort = std::get_if<AbortAction>(&action)) {
      targets_->abort(abort->key);
    } else if (auto* reply = std::get_if<Reply>(&action)) {
      answer(std::move(*reply));
    } else if (on_notice_) {
      on_notice_(std::get<Notice>(action));
    }
  }

  void answer(Reply reply) {
    ReplyHandler handler;
    {
      const std::lock_guard lock(mutex_);
      auto found = handlers_.find(reply.number);
      ESCAPEMENT_CHECK(found != handlers_.end());
      handler = std::move(found->second);
      handlers_.erase(found);
    }
    handler(std::move(reply));
  }

  void answer_the_rest() {
    std::unordered_map<std::uint64_t, ReplyHandler> rest;
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
      rest.swap(handlers_);
    }
    for (auto& [number, handler] : rest) {
      // The commit may have been on its way: the client has to look.
      Error error{ErrorCode::unknown_outcome, "the server stopped before it was answered", ""};
      handler(Reply{number, std::move(error), std::nullopt});
    }
  }

  Clock& clock_;
  NoticeHandler on_notice_;
  Store* store_ = nullptr;
  TargetPort* targets_ = nullptr;
  std::unique_ptr<Engine> engine_;
  std::thread thread_;
  bool draining_ = false;  // the runner's thread only, like the two below
  Elapsed abort_at_ = kNeverElapsed;
  Elapsed give_up_at_ = kNeverElapsed;

  std::mutex mutex_;  // guards everything below
  std::vector<Event> inbox_;
  std::unordered_map<std::uint64_t, ReplyHandler> handlers_;
  std::uint64_t last_number_ = 0;
  bool stopping_ = false;
  bool stopped_ = false;
  Duration grace_{};
};

Runner::Runner(Clock& clock, NoticeHandler on_notice)
    : impl_(std::make_shared<Impl>(clock, std::move(on_notice))) {}
Runner::~Runner() { stop(Duration::zero()); }

StoreSink Runner::store_sink() {
  return [impl = impl_](std::vector<StoreAnswer> answers) {
    for (StoreAnswer& answer : answers) impl->enqueue(std::move(answer));
  };
}
ResultSink Runner::result_sink() {
  return [impl = impl_](AttemptResult result) { impl->enqueue(std::move(result)); };
}

void Runner::start(EngineOptions options, Recovered recovered, Store& store, TargetPort& targets) {
  impl_->start(options, std::move(recovered), store, targets);
}
void Runner::submit(CommandBody body, ReplyHandler handler) {
  impl_->submit(std::move(body), std::move(handler));
}
void Runner::stop(Duration grace) { impl_->stop(grace); }

}  // namespace escapement::engine
