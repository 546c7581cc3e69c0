#include "escapement/apps/serve_app.h"

#include <unistd.h>

#include <utility>

#include "data_folder.h"
#include "escapement/api/server.h"
#include "escapement/engine/runner.h"
#include "escapement/stores/sqlite_store.h"
#include "escapement/targets/router.h"
#include "escapement/targets/url.h"
#include "listen_address.h"
#include "notice_log.h"
#include "small_file.h"

namespace escapement::apps {
namespace {

// The same error, with the option that it is about.
Error about(const char* option, Error error) {
  error.field = option;
  return error;
}

Result<ListenAddress> check_listen(const ServeOptions& options) {
  Result<ListenAddress> address = parse_listen(options.listen);
  if (!address.ok() || options.insecure || is_loopback(*address)) return address;
  return invalid("listen", options.listen +
                               " can be reached from other machines and this server "
                               "speaks plain HTTP: put it behind a proxy that speaks TLS and say "
                               "--insecure, or listen on 127.0.0.1");
}

}  // namespace

class ServeApp::Impl {
 public:
  Impl(const ServeOptions& options, ServeWorld world)
      : options_(options),
        world_(std::move(world)),
        runner_(std::make_unique<engine::Runner>(
            world_.clock, [this](const engine::Notice& notice) { log_->add(notice); })) {}

  Status start() {
    Result<ListenAddress> address = check_listen(options_);
    if (!address.ok()) return address.error();
    if (Status made = make_data_folder(options_.data); !made.ok()) return made;
    Result<std::string> token = read_token();
    if (!token.ok()) return token.error();
    start_targets(*address);
    Result<stores::SqliteOpened> opened =
        stores::open_sqlite({.folder = options_.data}, runner_->store_sink());
    if (!opened.ok()) return about("data", opened.error());
    return start_engine(*address, *token, std::move(*opened));
  }

  void stop() {
    if (std::exchange(stopped_, true)) return;
    if (!url_.empty()) ::unlink(address_path(options_.data).c_str());
    if (server_) server_->stop();
    if (running_) runner_->stop(options_.drain);
    if (targets_) targets_->shutdown();
    server_.reset();
    runner_.reset();
    targets_.reset();
    store_.reset();
    log_.reset();
  }

  const std::string& url() const { return url_; }
  const std::string& token_source() const { return token_source_; }

 private:
  Result<std::string> read_token() {
    if (world_.token.empty()) {
      token_source_ = token_path(options_.data);
      return load_or_make_token(options_.data);
    }
    token_source_ = "ESCAPEMENT_TOKEN";
    if (Status good = check_token(world_.token); !good.ok()) return good.error();
    return world_.token;
  }

  // First of all that has threads: with exec it forks.
  void start_targets(const ListenAddress& address) {
    targets_ = std::make_unique<targets::Targets>(
        targets::TargetOptions{.allow_exec = options_.allow_exec,
                               .allow_private_addresses = is_loopback(address),
                               .data_folder = options_.data},
        world_.clock, runner_->result_sink());
    log_ = std::make_unique<NoticeLog>(options_.print_runs ? &world_.out : nullptr);
  }

  Status start_engine(ListenAddress address, std::string token, stores::SqliteOpened opened) {
    store_ = std::move(opened.store);
    api::ServerOptions api{.host = address.host,
                           .port = address.port,
                           .token = std::move(token),
                           .store_name = opened.recovered.store_name,
                           .allow_exec = options_.allow_exec,
                           .check_url = targets::check_url};
    // The port first: a server that cannot be reached must not fire anything.
    Result<std::unique_ptr<api::Server>> server = api::Server::start(std::move(api), *runner_);
    if (!server.ok()) return about("listen", server.error());
    server_ = std::move(*server);
    running_ = true;
    runner_->start({}, std::move(opened.recovered), *store_, *targets_);
    address.port = server_->port();
    url_ = url_of(address);
    Status wrote = write_small_file(address_path(options_.data), url_ + '\n', 0600);
    return wrote.ok() ? wrote : Status(about("data", wrote.error()));
  }

  const ServeOptions options_;
  const ServeWorld world_;
  std::string url_;
  std::string token_source_;
  bool running_ = false;
  bool stopped_ = false;
  std::unique_ptr<NoticeLog> log_;
  std::unique_ptr<engine::Store> store_;
  std::unique_ptr<targets::Targets> targets_;
  std::unique_ptr<engine::Runner> runner_;
  std::unique_ptr<api::Server> server_;
};

Result<std::unique_ptr<ServeApp>> ServeApp::start(const ServeOptions& options, ServeWorld world) {
  std::unique_ptr<ServeApp> app(new ServeApp(std::make_unique<Impl>(options, std::move(world))));
  Status started = app->impl_->start();
  if (!started.ok()) return started.error();
  return app;
}

ServeApp::ServeApp(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

ServeApp::~ServeApp() { stop(); }

const std::string& ServeApp::url() const { return impl_->url(); }
const std::string& ServeApp::token_source() const { return impl_->token_source(); }
void ServeApp::stop() { impl_->stop(); }

}  // namespace escapement::apps
