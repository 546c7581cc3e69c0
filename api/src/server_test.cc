#include "escapement/api/server.h"

#include <gmock/gmock.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <thread>

#include "fake_engine.h"

namespace escapement::api {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kJob = R"({"schedule":{"manual":true},"target":{"http":{"url":"http://h/p"}}})";

// A blocking client that speaks raw bytes.
class Client {
 public:
  explicit Client(std::uint16_t port) {
    socket_.connect({asio::ip::make_address("127.0.0.1"), port});
  }

  void send(const std::string& text) {
    boost::system::error_code ignored;
    asio::write(socket_, asio::buffer(text), ignored);
  }

  // One response: head and body. Empty when the server closed.
  std::string receive() {
    boost::system::error_code code;
    const std::size_t head =
        asio::read_until(socket_, asio::dynamic_buffer(input_), "\r\n\r\n", code);
    if (code) return take(input_.size());
    const std::size_t at = input_.find("Content-Length: ");
    const std::size_t length = at < head ? std::stoul(input_.substr(at + 16)) : 0;
    if (input_.size() < head + length) {
      asio::read(socket_, asio::dynamic_buffer(input_),
                 asio::transfer_exactly(head + length - input_.size()), code);
    }
    return take(head + length);
  }

  // The head alone, for responses to HEAD.
  std::string receive_head() {
    boost::system::error_code code;
    return take(asio::read_until(socket_, asio::dynamic_buffer(input_), "\r\n\r\n", code));
  }

  // All until the server closes.
  std::string receive_all() {
    boost::system::error_code code;
    asio::read(socket_, asio::dynamic_buffer(input_), code);
    return take(input_.size());
  }

 private:
  std::string take(std::size_t bytes) {
    std::string taken = input_.substr(0, bytes);
    input_.erase(0, bytes);
    return taken;
  }

  asio::io_context context_;
  tcp::socket socket_{context_};
  std::string input_;
};

std::string head(const std::string& line, const std::string& more = "") {
  return line + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n" + more + "\r\n";
}

std::string with_body(const std::string& line, const std::string& body) {
  return head(line, "Content-Type: application/json\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n") +
         body;
}

class ServerTest : public ::testing::Test {
 protected:
  ServerTest() { options_ = {.port = 0, .token = "t", .store_name = kStore}; }

  void start(bool engine_keeps = false) {
    engine_ = std::make_unique<FakeEngine>(engine_keeps);
    Result<std::unique_ptr<Server>> server = Server::start(options_, *engine_);
    ASSERT_TRUE(server.ok()) << server.error().message;
    server_ = std::move(*server);
  }
  std::string ask(const std::string& text) {
    Client client(server_->port());
    client.send(text);
    return client.receive();
  }

  ServerOptions options_;
  std::unique_ptr<FakeEngine> engine_;
  std::unique_ptr<Server> server_;
};

TEST_F(ServerTest, AnswersOnAFreePort) {
  start();
  EXPECT_GT(server_->port(), 0);
  const std::string response = ask(head("GET /healthz"));
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(response, HasSubstr("\r\nConnection: keep-alive\r\n"));
  EXPECT_THAT(response, HasSubstr("\r\n\r\n{\"status\":\"ok\"}"));
}

TEST_F(ServerTest, ConnectionsAreKeptAliveAndPipelinedRequestsAnsweredInOrder) {
  start();
  Client client(server_->port());
  client.send(head("GET /healthz"));
  EXPECT_THAT(client.receive(), HasSubstr("status"));
  client.send(with_body("PUT /api/v1/apps/a/jobs/n", kJob) + head("GET /metrics") +
              head("GET /nowhere") + head("GET /api/v1/runs"));
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 201 Created"));
  EXPECT_THAT(client.receive(), HasSubstr("escapement_term 0"));
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(client.receive(), HasSubstr("\"runs\":["));
}

TEST_F(ServerTest, CloseAndHttp10EndTheConnection) {
  start();
  Client client(server_->port());
  client.send(head("GET /healthz", "Connection: close\r\n"));
  EXPECT_THAT(client.receive_all(), HasSubstr("Connection: close"));
  Client old(server_->port());
  old.send("GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(old.receive_all(), HasSubstr("{\"status\":\"ok\"}"));
}

TEST_F(ServerTest, AHeadHasNoBodyAndOptionsIsNotAllowed) {
  start();
  Client client(server_->port());
  client.send(head("HEAD /healthz"));
  EXPECT_THAT(client.receive_head(), HasSubstr("Content-Length: 16\r\n"));
  client.send(head("OPTIONS /healthz"));
  const std::string response = client.receive();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(response, HasSubstr("Allow: GET, HEAD\r\n"));
}

TEST_F(ServerTest, ChunkedBodiesAreRead) {
  start();
  std::string text = head("PUT /api/v1/apps/a/jobs/n",
                          "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n");
  for (const char c : kJob) text += std::string("1\r\n") + c + "\r\n";
  EXPECT_THAT(ask(text + "0\r\n\r\n"), StartsWith("HTTP/1.1 201"));
}

TEST_F(ServerTest, AClientThatAsksFirstIsToldToContinue) {
  start();
  Client client(server_->port());
  const std::string more =
      "Content-Type: application/json\r\nContent-Length: " + std::to_string(kJob.size()) +
      "\r\nExpect: 100-continue\r\n";
  client.send(head("PUT /api/v1/apps/a/jobs/n", more));
  EXPECT_EQ(client.receive_head(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send(kJob);
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 201"));
}

TEST_F(ServerTest, NoBodyIsReadWithoutAToken) {
  start();
  const std::string response = ask(
      "PUT /api/v1/apps/a/jobs/n HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n");
  EXPECT_THAT(response, StartsWith("HTTP/1.1 401 Unauthorized"));
  EXPECT_THAT(response, HasSubstr("WWW-Authenticate: Bearer\r\n"));
}

TEST_F(ServerTest, MalformedHttpIsRefused) {
  start();
  for (const std::string& text :
       {std::string("nonsense\r\n\r\n"), std::string("GET /healthz HTTP/2.0\r\n\r\n"),
        std::string("GET /healthz HTTP/1.1\r\nBroken\r\n\r\n"),
        std::string("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        head("PUT /x", "Content-Length: 1\r\nContent-Length: 2\r\n"),
        head("PUT /x", "Content-Length: -1\r\n"),
        head("PUT /x", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n")}) {
    EXPECT_THAT(ask(text), StartsWith("HTTP/1.1 400")) << text;
  }
  EXPECT_THAT(ask(head("GET /healthz")), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, HeadsHaveALimitToTheLastByte) {
  start();
  const std::size_t limit = options_.limits.header_bytes;
  const std::size_t bare = head("GET /healthz", "X: \r\n").size();
  const auto sized = [&](std::size_t bytes) {
    return ask(head("GET /healthz", "X: " + std::string(bytes - bare, 'x') + "\r\n"));
  };
  EXPECT_THAT(sized(limit - 1), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(sized(limit), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(sized(limit + 1), StartsWith("HTTP/1.1 431"));
}

TEST_F(ServerTest, BodiesHaveALimitToTheLastByte) {
  start();
  const auto sized = [&](std::size_t bytes) {
    return ask(
        with_body("PUT /api/v1/apps/a/jobs/n", kJob + std::string(bytes - kJob.size(), ' ')));
  };
  const std::size_t limit = options_.limits.body_bytes;
  EXPECT_THAT(sized(limit - 1), StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(sized(limit), StartsWith("HTTP/1.1 201"));
  EXPECT_THAT(sized(limit + 1), StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(sized(8 * limit), StartsWith("HTTP/1.1 413"));
}

TEST_F(ServerTest, ChunksTogetherHaveTheSameLimit) {
  options_.limits.body_bytes = 256;
  start();
  std::string text = head("PUT /api/v1/apps/a/jobs/n",
                          "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n");
  for (int i = 0; i < 3; ++i) text += "64\r\n" + std::string(100, ' ') + "\r\n";
  EXPECT_THAT(ask(text), StartsWith("HTTP/1.1 413"));
}

TEST_F(ServerTest, ALargeBatchFits) {
  start();
  Json json;
  for (int i = 0; i < 10'000; ++i) {
    json["timers"].push_back(
        {{"key", "order-" + std::to_string(i)},
         {"in", "30m"},
         {"target", {{"http", {{"url", "http://h/" + std::string(200, 'p')}}}}}});
  }
  const std::string response = ask(with_body("POST /api/v1/apps/a/timers", dump_json(json)));
  EXPECT_THAT(response.substr(0, 40), StartsWith("HTTP/1.1 200"));
  EXPECT_GT(response.size(), 1'000'000u);
}

TEST_F(ServerTest, ASlowClientIsCutOff) {
  options_.limits.request_timeout = std::chrono::milliseconds{50};
  start();
  Client silent(server_->port());
  Client half_head(server_->port());
  Client half_body(server_->port());
  half_head.send("GET /healthz HTTP/1.1\r\nHost: loc");
  half_body.send(head("PUT /api/v1/apps/a/jobs/n",
                      "Content-Type: application/json\r\nContent-Length: 100\r\n") +
                 "{");
  EXPECT_EQ(silent.receive_all(), "");
  EXPECT_EQ(half_head.receive_all(), "");
  EXPECT_EQ(half_body.receive_all(), "");
}

TEST_F(ServerTest, AnIdleConnectionIsClosed) {
  options_.limits.idle_timeout = std::chrono::milliseconds{50};
  start();
  Client client(server_->port());
  client.send(head("GET /healthz"));
  EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(client.receive_all(), "");
}

TEST_F(ServerTest, ConnectionsHaveALimit) {
  options_.limits.connections = 2;
  start();
  std::optional<Client> first(server_->port());
  Client second(server_->port());
  first->send(head("GET /healthz"));
  second.send(head("GET /healthz"));
  EXPECT_THAT(first->receive(), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(second.receive(), StartsWith("HTTP/1.1 200"));
  Client third(server_->port());
  const std::string response = third.receive_all();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(response, HasSubstr("Retry-After: 1\r\n"));
}

TEST_F(ServerTest, RepliesComeFromAnotherThread) {
  start(true);
  Client client(server_->port());
  client.send(head("GET /api/v1/runs") + head("GET /metrics"));
  engine_->answer();
  EXPECT_THAT(client.receive(), HasSubstr("\"runs\":["));
  engine_->answer();
  EXPECT_THAT(client.receive(), HasSubstr("escapement_term"));
}

TEST_F(ServerTest, AnEngineThatDoesNotAnswerIsAnUnknownOutcome) {
  options_.limits.reply_timeout = std::chrono::milliseconds{20};
  start(true);
  Client client(server_->port());
  client.send(head("DELETE /api/v1/apps/a/timers/k"));
  const std::string response = client.receive_all();
  EXPECT_THAT(response, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(response, HasSubstr("unknown_outcome"));
  engine_->answer();
  EXPECT_THAT(ask(head("GET /healthz")), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, StopLetsARequestFinishAndRepliesMayOutliveTheServer) {
  start(true);
  Client idle(server_->port());
  Client busy(server_->port());
  busy.send(head("GET /api/v1/runs"));
  engine_->wait_for_command();
  std::thread stopper([this] { server_->stop(); });
  EXPECT_EQ(idle.receive_all(), "");
  engine_->answer();
  EXPECT_THAT(busy.receive_all(), StartsWith("HTTP/1.1 200"));
  stopper.join();
}

TEST_F(ServerTest, StopGivesUpOnAnEngineThatDoesNotAnswer) {
  options_.limits.stop_timeout = std::chrono::milliseconds{20};
  start(true);
  Client client(server_->port());
  client.send(head("GET /api/v1/runs"));
  engine_->wait_for_command();
  server_->stop();
  EXPECT_EQ(client.receive_all(), "");
  server_.reset();
  engine_->answer();
}

TEST_F(ServerTest, AClientThatLeavesHarmsNobody) {
  start(true);
  {
    Client client(server_->port());
    client.send(head("GET /api/v1/runs"));
    engine_->wait_for_command();
  }
  engine_->answer();
  EXPECT_THAT(ask(head("GET /healthz")), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, ManyClientsAtOnce) {
  start();
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([this] {
      Client client(server_->port());
      for (int i = 0; i < 100; ++i) {
        client.send(head("GET /api/v1/apps/a/timers/k"));
        EXPECT_THAT(client.receive(), StartsWith("HTTP/1.1 200"));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ServerTest, StartTellsWhatIsWrong) {
  start();
  ServerOptions options = options_;
  options.port = server_->port();
  EXPECT_EQ(Server::start(options, *engine_).error().code, ErrorCode::conflict);
  options.host = "example.org";
  EXPECT_EQ(Server::start(options, *engine_).error().field, "host");
  options.host = "127.0.0.1";
  options.token = "";
  EXPECT_EQ(Server::start(options, *engine_).error().field, "token");
}

}  // namespace
}  // namespace escapement::api
