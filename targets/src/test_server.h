// An HTTP server of raw sockets for the tests: each connection runs a script on its own thread.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "unique_fd.h"

namespace escapement::targets {

class TestPeer {
 public:
  explicit TestPeer(int socket) : socket_(socket) {}
  int socket() const { return socket_; }

  // Head and body of the next request; what came of it when the peer closes.
  std::string read_request() {
    std::size_t end = std::string::npos;
    while ((end = unread_.find("\r\n\r\n")) == std::string::npos) {
      if (!read_some()) return std::exchange(unread_, {});
    }
    const std::size_t size = end + 4 + content_length(unread_.substr(0, end));
    while (unread_.size() < size && read_some()) {
    }
    std::string request = unread_.substr(0, size);
    unread_.erase(0, size);
    return request;
  }
  bool read_some() {
    char block[65536];
    const ssize_t size = recv(socket_, block, sizeof block, 0);
    if (size > 0) unread_.append(block, static_cast<std::size_t>(size));
    return size > 0;
  }
  void send(const std::string& text) {
    for (std::size_t done = 0; done < text.size();) {
      const ssize_t size = ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (size <= 0) return;
      done += static_cast<std::size_t>(size);
    }
  }

 private:
  static std::size_t content_length(const std::string& head) {
    const std::string name = "\r\nContent-Length: ";
    const std::size_t at = head.find(name);
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + name.size()));
  }

  const int socket_;
  std::string unread_;
};

class TestServer {
 public:
  using Script = std::function<void(TestPeer&)>;

  explicit TestServer(Script script)
      : script_(std::move(script)), listener_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof address;
    bind(listener_.get(), plain, size);
    listen(listener_.get(), 512);
    getsockname(listener_.get(), plain, &size);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~TestServer() { stop(); }

  // Ends all connections and threads.
  void stop() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    if (acceptor_.joinable()) acceptor_.join();
    {
      const std::lock_guard lock(mutex_);
      for (const UniqueFd& peer : sockets_) ::shutdown(peer.get(), SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::string port() const { return std::to_string(port_); }
  std::string url(const std::string& path) const { return "http://127.0.0.1:" + port() + path; }
  int connections() const { return connections_; }

 private:
  void accept_all() {
    while (true) {
      const int peer = accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
      if (peer < 0) return;
      ++connections_;
      const std::lock_guard lock(mutex_);
      sockets_.emplace_back(peer);
      threads_.emplace_back([this, peer] {
        TestPeer script_peer(peer);
        script_(script_peer);
        ::shutdown(peer, SHUT_WR);
        while (script_peer.read_some()) {
        }
        ::shutdown(peer, SHUT_RDWR);
      });
    }
  }

  const Script script_;
  UniqueFd listener_;
  std::uint16_t port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;  // guards sockets_ while connections come
  std::vector<UniqueFd> sockets_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace escapement::targets
