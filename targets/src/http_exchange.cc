#include "http_exchange.h"

#include <algorithm>

#include "attempt_results.h"

namespace escapement::targets {

HttpExchange::HttpExchange(engine::Dispatch dispatch, HttpRequest request, HttpPool& pool,
                           Clock& clock)
    : dispatch_(std::move(dispatch)),
      request_(std::move(request)),
      pool_(pool),
      clock_(clock),
      reader_(request_.is_head) {}

void HttpExchange::run(Done done) {
  done_ = std::move(done);
  acquire();
}

void HttpExchange::stop(engine::AttemptResult result) {
  if (done_) finish(std::move(result), false);
}

void HttpExchange::acquire() {
  const bool waits = pool_.acquire(dispatch_.key, request_.url,
                                   [self = shared_from_this()](HttpPool::Connection connection) {
                                     self->on_connection(std::move(connection));
                                   });
  if (!waits) fail({ErrorCode::busy, "too many requests wait for " + origin_of(request_.url)});
}

void HttpExchange::on_connection(HttpPool::Connection connection) {
  connection_ = std::move(connection);
  is_reused_ = connection_->is_open();
  if (is_reused_) return send();
  connection_->open(std::min(dispatch_.timeout, kConnectLimit),
                    [self = shared_from_this()](const Status& status) {
                      if (!self->done_) return;
                      if (!status.ok()) return self->fail(status.error());
                      self->send();
                    });
}

// Reads while it writes: a server may answer, and close, before it has taken the whole body.
void HttpExchange::send() {
  has_written_ = false;
  connection_->write(request_.bytes, [self = shared_from_this(), on = connection_](bool all) {
    if (self->connection_ == on) self->has_written_ = all;
  });
  read();
}

void HttpExchange::read() {
  connection_->read([self = shared_from_this(), on = connection_](std::string_view bytes,
                                                                  HttpConnection::ReadEnd end) {
    if (!self->done_ || self->connection_ != on) return;
    if (end != HttpConnection::ReadEnd::none) return self->on_end(end);
    self->on_bytes(bytes);
  });
}

void HttpExchange::on_bytes(std::string_view bytes) {
  has_read_ = true;
  const Result<ResponseReader::Progress> progress = reader_.feed(bytes);
  if (!progress.ok()) return fail(progress.error());
  if (*progress == ResponseReader::Progress::done) return respond();
  read();
}

void HttpExchange::on_end(HttpConnection::ReadEnd end) {
  if (!has_read_ && is_reused_) {
    const HttpPool::Connection stale = std::move(connection_);
    connection_ = nullptr;
    pool_.drop_idle(request_.url);
    pool_.release(stale, false);
    return acquire();
  }
  const Status status = reader_.feed_end();
  if (status.ok() && end == HttpConnection::ReadEnd::closed) return respond();
  fail({ErrorCode::unavailable, has_read_ ? "the connection broke within the response"
                                          : "the connection was closed without a response"});
}

void HttpExchange::respond() {
  const bool can_reuse = has_written_ && reader_.can_reuse();
  finish(judge_response(dispatch_.key, reader_.take(), clock_.now().wall), can_reuse);
}

void HttpExchange::fail(const Error& error) {
  engine::AttemptResult result = failed(dispatch_.key, error.message);
  result.retryable = error.code != ErrorCode::denied;
  finish(std::move(result), false);
}

void HttpExchange::finish(engine::AttemptResult result, bool can_reuse) {
  const Done done = std::exchange(done_, nullptr);
  if (connection_) {
    pool_.release(std::exchange(connection_, nullptr), can_reuse);
  } else {
    pool_.cancel(dispatch_.key, request_.url);
  }
  done(std::move(result));
}

}  // namespace escapement::targets
