#include "gateway.h"

namespace escapement::engine {

void Gateway::write(Mutations mutations, WriteDone done) {
  Waiting waiting;
  waiting.write_done = std::move(done);
  send(Write{term_, std::move(mutations)}, std::move(waiting));
}

void Gateway::write_until_done(Mutations mutations, WriteDone done) {
  Waiting waiting;
  waiting.write_done = std::move(done);
  waiting.again = std::move(mutations);
  waiting.offset = time_.offset();
  waiting.persistent = true;
  send_write(std::move(waiting));
}

void Gateway::realign(Mutations& mutations, Duration& offset) const {
  const Duration stepped = time_.offset() - offset;
  if (stepped == Duration::zero()) return;
  offset = time_.offset();
  for (Mutation& mutation : mutations) {
    domain::Run* row = nullptr;
    if (auto* insert = std::get_if<InsertRun>(&mutation)) row = &insert->run;
    if (auto* update = std::get_if<UpdateRun>(&mutation)) row = &update->after;
    if (row == nullptr || row->elapsed_term != term_) continue;
    row->next_attempt_at = saturating_add(row->next_attempt_at, stepped);
  }
}

void Gateway::send_write(Waiting waiting) {
  realign(waiting.again, waiting.offset);
  Write write{term_, waiting.again};
  send(std::move(write), std::move(waiting));
}

void Gateway::read(StoreRequest request, ReadDone done) {
  Waiting waiting;
  waiting.read_done = std::move(done);
  send(std::move(request), std::move(waiting));
}

void Gateway::send(StoreRequest request, Waiting waiting) {
  if (barriers_ > 0 && !waiting.barrier) {
    blocked_.push_back({std::move(request), std::move(waiting), time_.offset()});
    return;
  }
  const Ticket ticket = ++last_ticket_;
  waiting_.emplace(ticket, std::move(waiting));
  out_.push_back(StoreAction{ticket, std::move(request)});
}

void Gateway::write_barrier(Mutations mutations, std::function<void()> done) {
  ++barriers_;
  Waiting waiting;
  waiting.write_done = [this, done = std::move(done)](const Result<Written>&) {
    done();
    end_barrier();
  };
  waiting.again = std::move(mutations);
  waiting.offset = time_.offset();
  waiting.persistent = waiting.barrier = true;
  send_write(std::move(waiting));
}

void Gateway::end_barrier() {
  if (--barriers_ > 0) return;
  for (Blocked& blocked : std::exchange(blocked_, {})) {
    if (auto* write = std::get_if<Write>(&blocked.request)) {
      realign(write->mutations, blocked.offset);
    }
    send(std::move(blocked.request), std::move(blocked.waiting));
  }
}

void Gateway::ask_outcome(Ticket write, Waiting waiting) {
  waiting.asks_about = write;
  send(FindOutcome{write}, std::move(waiting));
}

void Gateway::on_answer(StoreAnswer answer, Elapsed now) {
  auto found = waiting_.find(answer.ticket);
  if (found == waiting_.end()) return;  // an answer that came twice
  Waiting waiting = std::move(found->second);
  waiting_.erase(found);
  if (answer.result.ok()) {
    healthy_ = true;
  } else {
    note(answer.result.error());
  }
  if (waiting.read_done) {
    waiting.read_done(std::move(answer.result));
  } else if (waiting.asks_about != 0) {
    on_outcome(std::move(waiting), answer.result, now);
  } else {
    on_written(answer.ticket, std::move(waiting), std::move(answer.result), now);
  }
}

void Gateway::note(const Error& error) {
  if (error.code == ErrorCode::conflict || error.code == ErrorCode::invalid) return;
  ++errors_;
  if (error.code == ErrorCode::fenced) fenced_ = true;
  if (healthy_) out_.push_back(Notice{StoreFailed{error}});
  healthy_ = false;
}

void Gateway::on_written(Ticket ticket, Waiting waiting, Result<StoreValue> result, Elapsed now) {
  if (result.ok()) {
    return waiting.write_done(std::get<Written>(*std::move(result)));
  }
  const ErrorCode code = result.error().code;
  if (code == ErrorCode::unknown_outcome) return ask_outcome(ticket, std::move(waiting));
  const bool definite = code == ErrorCode::conflict || code == ErrorCode::fenced ||
                        code == ErrorCode::invalid || code == ErrorCode::not_found;
  if (definite || !waiting.persistent) return waiting.write_done(result.error());
  retries_.push_back({now + kStoreRetry, std::move(waiting)});
}

void Gateway::on_outcome(Waiting waiting, const Result<StoreValue>& result, Elapsed now) {
  if (!result.ok()) {
    retries_.push_back({now + kStoreRetry, std::move(waiting)});
    return;
  }
  waiting.asks_about = 0;
  if (std::get<Outcome>(*result).committed) return waiting.write_done(Written{});
  if (waiting.persistent) return send_write(std::move(waiting));
  waiting.write_done(Error{ErrorCode::unavailable, "the store did not commit; try again", ""});
}

void Gateway::retry_due(Elapsed now) {
  while (!retries_.empty() && retries_.front().at <= now) {
    Waiting waiting = std::move(retries_.front().waiting);
    retries_.pop_front();
    if (waiting.asks_about != 0) {
      const Ticket write = waiting.asks_about;
      ask_outcome(write, std::move(waiting));
    } else {
      send_write(std::move(waiting));
    }
  }
}

Elapsed Gateway::next_retry() const {
  return retries_.empty() ? kNeverElapsed : retries_.front().at;
}

}  // namespace escapement::engine
