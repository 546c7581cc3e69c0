#include "http_client.h"

#include <signal.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <map>
#include <mutex>
#include <thread>

#include "attempt_results.h"
#include "http_connection_context.h"
#include "http_exchange.h"

namespace escapement::targets {

struct HttpClient::State {
  State(const HttpOptions& options, Clock& the_clock, engine::ResultSink the_sink)
      : clock(the_clock),
        sink(std::move(the_sink)),
        context{io, tls, options.allow_private_addresses} {
    set_up_tls(options.ca_file);
    thread = std::thread([this] { run(); });
  }

  void set_up_tls(const std::string& ca_file) {
    boost::system::error_code code;
    tls.set_default_verify_paths(code);
    SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_2_VERSION);
    if (ca_file.empty()) return;
    tls.load_verify_file(ca_file, code);
    if (code) tls_error = "cannot read certificates of " + ca_file + ": " + code.message();
  }

  void run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);  // SIGPIPE above all: TLS writes without a flag
    io.run();
  }

  // False when the shutdown has begun.
  template <typename Task>
  bool enqueue(Task task) {
    const std::lock_guard lock(mutex);
    if (closing) return false;
    asio::post(io, std::move(task));
    return true;
  }

  void begin(engine::Dispatch dispatch) {
    const engine::AttemptKey key = dispatch.key;
    Result<HttpRequest> request = build_request(dispatch);
    if (!request.ok()) {
      return sink(refused(key, request.error().field + ": " + request.error().message));
    }
    if (request->url.tls && !tls_error.empty()) return sink(refused(key, tls_error));
    auto exchange =
        std::make_shared<HttpExchange>(std::move(dispatch), std::move(*request), pool, clock);
    exchanges[key] = exchange;
    exchange->run([this, key](engine::AttemptResult result) {
      exchanges.erase(key);
      sink(std::move(result));
    });
  }

  void stop(engine::AttemptKey key) {
    const auto found = exchanges.find(key);
    if (found == exchanges.end()) return;
    const std::shared_ptr<HttpExchange> exchange = found->second;
    exchange->stop(timed_out(key, exchange->timeout()));
  }

  void stop_all() {
    const auto all = exchanges;
    for (const auto& [key, exchange] : all) exchange->stop(failed(key, kShuttingDown));
    pool.drop_all_idle();
    io.stop();
  }

  Clock& clock;
  const engine::ResultSink sink;
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  asio::ssl::context tls{asio::ssl::context::tls_client};
  std::string tls_error;  // why https cannot be used; set before the thread starts
  const ConnectionContext context;
  HttpPool pool{context};
  std::map<engine::AttemptKey, std::shared_ptr<HttpExchange>> exchanges;
  std::mutex mutex;  // guards closing
  bool closing = false;
  std::once_flag joined;
  std::thread thread;
};

HttpClient::HttpClient(const HttpOptions& options, Clock& clock, engine::ResultSink sink)
    : state_(std::make_unique<State>(options, clock, std::move(sink))) {}

HttpClient::~HttpClient() { shutdown(); }

void HttpClient::start(engine::Dispatch dispatch) {
  const engine::AttemptKey key = dispatch.key;
  const bool queued =
      state_->enqueue([state = state_.get(), dispatch = std::move(dispatch)]() mutable {
        state->begin(std::move(dispatch));
      });
  if (!queued) state_->sink(failed(key, kShuttingDown));
}

void HttpClient::abort(engine::AttemptKey key) {
  state_->enqueue([state = state_.get(), key] { state->stop(key); });
}

void HttpClient::shutdown() {
  {
    const std::lock_guard lock(state_->mutex);
    if (!state_->closing) asio::post(state_->io, [state = state_.get()] { state->stop_all(); });
    state_->closing = true;
  }
  std::call_once(state_->joined, [this] { state_->thread.join(); });
}

}  // namespace escapement::targets
