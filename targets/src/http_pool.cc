#include "http_pool.h"

#include <algorithm>

namespace escapement::targets {

bool HttpPool::acquire(engine::AttemptKey key, const Url& url, Ready ready) {
  const std::string name = origin_of(url);
  Origin& origin = origins_[name];
  if (origin.waiting.size() >= kMaxWaitingPerOrigin) return false;
  origin.waiting.push_back({key, std::move(ready)});
  serve_next(name, url);
  return true;
}

void HttpPool::cancel(engine::AttemptKey key, const Url& url) {
  const auto found = origins_.find(origin_of(url));
  if (found == origins_.end()) return;
  std::erase_if(found->second.waiting, [key](const Waiter& waiter) { return waiter.key == key; });
}

void HttpPool::release(const Connection& connection, bool can_reuse) {
  const std::string name = origin_of(connection->url());
  Origin& origin = origins_.at(name);
  const bool has_room = origin.idle.size() < kMaxIdlePerOrigin && idle_count_ < kMaxIdleConnections;
  if (can_reuse && (has_room || !origin.waiting.empty())) {
    keep(origin, connection);
  } else {
    close_one(name, connection);
  }
  serve_next(name, connection->url());
}

void HttpPool::drop_idle(const Url& url) {
  const std::string name = origin_of(url);
  const auto found = origins_.find(name);
  if (found == origins_.end()) return;
  std::vector<Connection> idle = std::move(found->second.idle);
  found->second.idle.clear();
  idle_count_ -= idle.size();
  for (const Connection& connection : idle) close_one(name, connection);
}

void HttpPool::drop_all_idle() {
  std::vector<Url> urls;
  for (const auto& [name, origin] : origins_) {
    if (!origin.idle.empty()) urls.push_back(origin.idle.front()->url());
  }
  for (const Url& url : urls) drop_idle(url);
}

void HttpPool::keep(Origin& origin, const Connection& connection) {
  origin.idle.push_back(connection);
  ++idle_count_;
  connection->stay_idle(kIdleLifetime, [this, weak = std::weak_ptr(connection)] {
    if (const Connection kept = weak.lock()) on_idle_end(kept);
  });
}

void HttpPool::on_idle_end(const Connection& connection) {
  const std::string name = origin_of(connection->url());
  idle_count_ -= std::erase(origins_.at(name).idle, connection);
  close_one(name, connection);
}

void HttpPool::close_one(const std::string& name, const Connection& connection) {
  connection->close();
  const auto found = origins_.find(name);
  if (--found->second.connections == 0 && found->second.waiting.empty()) origins_.erase(found);
}

void HttpPool::serve_next(const std::string& name, const Url& url) {
  const auto found = origins_.find(name);
  if (found == origins_.end() || found->second.waiting.empty()) return;
  Origin& origin = found->second;
  Connection connection;
  if (!origin.idle.empty()) {
    connection = origin.idle.back();
    origin.idle.pop_back();
    --idle_count_;
    connection->leave_idle();
  } else if (origin.connections < kMaxConnectionsPerOrigin) {
    ++origin.connections;
    connection = make_connection(context_, url);
  } else {
    return;
  }
  const Ready ready = std::move(origin.waiting.front().ready);
  origin.waiting.pop_front();
  ready(connection);
}

}  // namespace escapement::targets
