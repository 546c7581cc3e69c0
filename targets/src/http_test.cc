#include <gtest/gtest.h>

#include <latch>
#include <set>

#include "escapement/domain/limits.h"
#include "escapement/targets/router.h"
#include "http_pool.h"
#include "http_response.h"
#include "test_server.h"
#include "test_sink.h"

namespace escapement::targets {
namespace {

using domain::AttemptState;
using domain::HttpTarget;

class Http : public testing::Test {
 protected:
  Targets& targets(bool allow_private = true) {
    if (!targets_) {
      targets_.emplace(TargetOptions{.allow_private_addresses = allow_private}, *clock_,
                       sink_.sink());
    }
    return *targets_;
  }
  engine::Dispatch start(HttpTarget target) {
    const auto dispatch = make_dispatch(std::move(target), ++run_);
    targets().start(dispatch);
    return dispatch;
  }
  engine::AttemptResult run(HttpTarget target) { return sink_.wait(start(std::move(target))); }
  engine::AttemptResult get(const TestServer& server) { return run({.url = server.url("/")}); }
  // The result of one attempt whose server answers this and closes.
  engine::AttemptResult answer_of(const std::string& response) {
    TestServer server([&](TestPeer& peer) {
      peer.read_request();
      peer.send(response);
    });
    return get(server);
  }

  std::unique_ptr<Clock> clock_ = make_system_clock();
  TestSink sink_;
  std::int64_t run_ = 0;
  std::optional<Targets> targets_;
};

std::string response(const std::string& status, const std::string& body,
                     const std::string& headers = "") {
  return "HTTP/1.1 " + status + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
         headers + "\r\n" + body;
}

void serve_forever(TestPeer& peer) {
  while (!peer.read_request().empty()) peer.send(response("200 OK", "ok"));
}

TEST_F(Http, RequestIsExact) {
  std::string seen;
  TestServer server([&](TestPeer& peer) {
    seen = peer.read_request();
    peer.send(response("200 OK", "fine"));
  });
  const auto result = run({.method = "PUT",
                           .url = server.url("/a%20b?c=d"),
                           .headers = {{"X-Mine", "1"}, {"X-Mine", "2"}},
                           .body = "{\"a\":1}",
                           .body_is_json = true});
  EXPECT_EQ(result.state, AttemptState::succeeded);
  EXPECT_EQ(result.status, 200);
  EXPECT_EQ(result.output, "fine");
  EXPECT_EQ(result.error, "");
  EXPECT_EQ(seen, "PUT /a%20b?c=d HTTP/1.1\r\nHost: 127.0.0.1:" + server.port() +
                      "\r\nUser-Agent: escapement/0.1.0\r\nAccept: */*\r\n"
                      "Content-Type: application/json\r\nX-Mine: 1\r\nX-Mine: 2\r\n"
                      "Escapement-Job: nightly\r\nEscapement-Run: store-1\r\n"
                      "Escapement-Due: 2026-03-29T01:30:00.000250Z\r\nEscapement-Attempt: 1\r\n"
                      "Escapement-Term: 7\r\nIdempotency-Key: store-1\r\n"
                      "Content-Length: 7\r\n\r\n{\"a\":1}");
}

TEST_F(Http, StatusesDecide) {
  struct Case {
    const char* status;
    AttemptState state;
    bool retryable;
    const char* error;
  };
  const auto ok = AttemptState::succeeded, bad = AttemptState::failed;
  const Case cases[] = {
      {"200 OK", ok, true, ""},
      {"202 Accepted", ok, true, ""},
      {"299 Odd", ok, true, ""},
      {"302 Found", bad, false, "HTTP 302 Found"},
      {"400 Bad Request", bad, false, "HTTP 400 Bad Request"},
      {"404 Not Found", bad, false, "HTTP 404 Not Found"},
      {"408 Request Timeout", bad, true, "HTTP 408 Request Timeout"},
      {"429 Too Many Requests", bad, true, "HTTP 429 Too Many Requests"},
      {"500 ", bad, true, "HTTP 500 Internal Server Error"},
      {"503 Service Unavailable", bad, true, "HTTP 503 Service Unavailable"},
      {"599 X", bad, true, "HTTP 599 X"},
  };
  for (const Case& item : cases) {
    const auto result = answer_of(response(item.status, "body"));
    EXPECT_EQ(result.state, item.state) << item.status;
    EXPECT_EQ(result.retryable, item.retryable) << item.status;
    EXPECT_EQ(result.error, item.error);
    EXPECT_EQ(result.status, std::stoi(item.status));
    EXPECT_EQ(result.output, "body");
  }
}

TEST_F(Http, RedirectsAreNotFollowed) {
  const auto result =
      answer_of(response("307 Temporary Redirect", "", "Location: http://10.0.0.1/x?secret=1\r\n"));
  EXPECT_EQ(
      result.error,
      "HTTP 307 Temporary Redirect redirects to http://10.0.0.1:80; redirects are not followed");
  EXPECT_FALSE(result.retryable);
}

TEST_F(Http, RetryAfterIsHonoured) {
  const auto result = answer_of(response("503 Busy", "", "Retry-After: 120\r\n"));
  EXPECT_EQ(result.retry_after, Duration(std::chrono::seconds{120}));
  EXPECT_EQ(answer_of(response("404 No", "", "Retry-After: 120\r\n")).retry_after, std::nullopt);
}

TEST_F(Http, ConnectionIsReused) {
  TestServer server(serve_forever);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(get(server).output, "ok");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Http, ConnectionIsNotReusedWhereTheServerCloses) {
  TestServer server([](TestPeer& peer) {
    peer.read_request();
    peer.send(response("200 OK", "ok", "Connection: close\r\n"));
  });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(get(server).output, "ok");
  EXPECT_EQ(server.connections(), 3);
}

// The server drops the kept connection when the second request arrives, before any answer.
TEST_F(Http, StaleConnectionIsReplacedOnce) {
  std::atomic<int> accepted = 0;
  TestServer server([&](TestPeer& peer) {
    const bool first = ++accepted == 1;
    peer.read_request();
    peer.send(response("200 OK", first ? "one" : "two"));
    peer.read_request();
  });
  EXPECT_EQ(get(server).output, "one");
  EXPECT_EQ(get(server).output, "two");
  EXPECT_EQ(server.connections(), 2);
}

TEST_F(Http, FreshConnectionThatIsClosedIsAFailure) {
  TestServer server([](TestPeer& peer) { peer.read_request(); });
  const auto result = get(server);
  EXPECT_EQ(result.state, AttemptState::failed);
  EXPECT_TRUE(result.retryable);
  EXPECT_EQ(result.error, "the connection was closed without a response");
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Http, AbortEndsASlowRequest) {
  std::latch asked(1);
  TestServer server([&](TestPeer& peer) {
    peer.read_request();
    asked.count_down();
    peer.read_request();  // ends when the client closes
  });
  const auto dispatch = start({.url = server.url("/")});
  asked.wait();
  targets().abort(dispatch.key);
  const auto result = sink_.wait(dispatch);
  EXPECT_EQ(result.state, AttemptState::timed_out);
  EXPECT_EQ(result.error, "timed out after 30s");
  server.stop();
}

TEST_F(Http, ChunkedInterimAndClosingResponsesAreRead) {
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                      "4\r\nwiki\r\n5;x=y\r\npedia\r\n0\r\nTrailer: x\r\n\r\n")
                .output,
            "wikipedia");
  EXPECT_EQ(answer_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" +
                      response("201 Created", "made"))
                .output,
            "made");
  EXPECT_EQ(answer_of("HTTP/1.1 200 OK\r\n\r\nuntil the end").output, "until the end");
  EXPECT_EQ(answer_of("HTTP/1.1 204 No Content\r\n\r\n").state, AttemptState::succeeded);
}

TEST_F(Http, HeadHasNoBody) {
  TestServer server([](TestPeer& peer) {
    while (!peer.read_request().empty()) {
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    }
  });
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(run({.method = "HEAD", .url = server.url("/")}).state, AttemptState::succeeded);
  }
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(Http, BodyIsCutAtItsLimits) {
  const std::string whole(domain::kMaxOutputBytes, 'x');
  EXPECT_EQ(answer_of(response("200 OK", whole.substr(1))).output, whole.substr(1));
  EXPECT_EQ(answer_of(response("200 OK", whole)).output, whole);
  for (const std::size_t size : {whole.size() + 1, kMaxResponseBytes + 1'000'000}) {
    const auto result = answer_of(response("200 OK", std::string(size, 'x')));
    EXPECT_EQ(result.state, AttemptState::succeeded);
    EXPECT_EQ(result.output.size(), domain::kMaxOutputBytes);
    EXPECT_TRUE(result.output.ends_with("x\n[output truncated]"));
  }
}

TEST_F(Http, MalformedResponsesAreFailures) {
  const std::string cases[] = {
      "garbage\r\n\r\n",
      "HTTP/2 200 OK\r\n\r\n",
      "HTTP/1.1 20 OK\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
      "HTTP/1.1 200 OK\r\nBig: " + std::string(kMaxResponseHeaderBytes, 'x') + "\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort",
      "HTTP/1.1 200",
  };
  for (const std::string& text : cases) {
    const auto result = answer_of(text);
    EXPECT_EQ(result.state, AttemptState::failed) << text.substr(0, 60);
    EXPECT_TRUE(result.retryable);
    EXPECT_EQ(result.status, 0);
    EXPECT_FALSE(result.error.empty());
  }
}

TEST_F(Http, UnreachableServersAreFailuresToRetry) {
  std::string url;
  {
    TestServer server(serve_forever);
    url = server.url("/");
  }
  const auto closed = run({.url = url});
  EXPECT_TRUE(closed.retryable);
  EXPECT_NE(closed.error.find("Connection refused"), std::string::npos) << closed.error;
  TestServer plain([](TestPeer& peer) {
    peer.read_some();
    peer.send("this is no TLS");
  });
  EXPECT_TRUE(run({.url = "https://127.0.0.1:" + plain.port()}).error.starts_with("TLS https://"));
  const auto unknown = run({.url = "http://no-such-host.invalid/"});
  EXPECT_TRUE(unknown.retryable);
  EXPECT_TRUE(unknown.error.starts_with("resolve http://no-such-host.invalid:80: "));
}

TEST_F(Http, RefusedAddressesAreFinal) {
  targets(false);
  TestServer server(serve_forever);
  for (const std::string& url :
       {server.url("/"), "http://localhost:" + server.port() + "/",
        "http://[::ffff:127.0.0.1]:" + server.port() + "/",
        std::string("http://169.254.169.254/latest/meta-data/"), std::string("http://0.0.0.0/")}) {
    const auto result = run({.url = url});
    EXPECT_EQ(result.state, AttemptState::failed) << url;
    EXPECT_FALSE(result.retryable) << url;
    EXPECT_NE(result.error.find("is refused: "), std::string::npos) << result.error;
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(Http, BadTargetsAreFinalAndNamed) {
  TestServer server(serve_forever);
  const HttpTarget cases[] = {
      {.url = "ftp://x/"},
      {.method = "GE T", .url = server.url("/")},
      {.method = "CONNECT", .url = server.url("/")},
      {.method = "post", .url = server.url("/")},
      {.url = server.url("/"), .headers = {{"X", "a\r\nY: b"}}},
      {.url = server.url("/"), .headers = {{"X Y", "a"}}},
      {.url = server.url("/"), .headers = {{"", "a"}}},
      {.url = server.url("/"), .headers = {{"HOST", "a"}}},
      {.url = server.url("/"), .headers = {{"Content-length", "1"}}},
      {.url = server.url("/"), .headers = {{"Transfer-Encoding", "chunked"}}},
      {.url = server.url("/"), .headers = {{"Connection", "close"}}},
      {.url = server.url("/"), .headers = {{"escapement-term", "9"}}},
      {.url = server.url("/"), .headers = {{"Idempotency-Key", "9"}}},
      {.url = server.url("/"), .headers = {{"X", std::string(domain::kMaxHeaderBytes, 'a')}}},
  };
  for (const HttpTarget& target : cases) {
    const auto result = run(target);
    EXPECT_EQ(result.state, AttemptState::failed);
    EXPECT_FALSE(result.retryable);
    EXPECT_TRUE(result.error.starts_with("target.")) << result.error;
  }
  EXPECT_EQ(server.connections(), 0);
}

TEST_F(Http, OriginHasAtMostItsShareOfConnections) {
  constexpr auto kExtra = 20;
  std::latch full(kMaxConnectionsPerOrigin), open(1);
  TestServer server([&](TestPeer& peer) {
    peer.read_request();
    full.count_down();
    open.wait();
    peer.send(response("200 OK", "ok"));
    serve_forever(peer);
  });
  for (std::size_t i = 0; i < kMaxConnectionsPerOrigin + kExtra; ++i)
    start({.url = server.url("/")});
  full.wait();
  const auto waiting = start({.url = server.url("/")});
  targets().abort(waiting.key);  // leaves the line
  EXPECT_EQ(sink_.wait(waiting).state, AttemptState::timed_out);
  open.count_down();
  sink_.wait_for_count(kMaxConnectionsPerOrigin + kExtra + 1);
  EXPECT_EQ(server.connections(), static_cast<int>(kMaxConnectionsPerOrigin));
  targets_.reset();
}

TEST_F(Http, AbortsInARaceAnswerEachOnce) {
  constexpr std::int64_t kRuns = 300;
  TestServer server(serve_forever);
  for (std::int64_t i = 0; i < kRuns; ++i) {
    const auto dispatch = start({.url = server.url("/")});
    if (i % 2 == 0) targets().abort(dispatch.key);
  }
  sink_.wait_for_count(kRuns / 2);
  targets().shutdown();
  EXPECT_EQ(sink_.count(), static_cast<std::size_t>(kRuns));
  for (std::int64_t run = 1; run <= kRuns; ++run) {
    EXPECT_EQ(sink_.count({domain::RunId{run}, 1}), 1u);
  }
  EXPECT_EQ(run({.url = server.url("/")}).error, "the server is shutting down");
  targets_.reset();
}

}  // namespace
}  // namespace escapement::targets
