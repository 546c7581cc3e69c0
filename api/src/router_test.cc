#include "router.h"

#include <gmock/gmock.h>

#include "fake_engine.h"

namespace escapement::api {
namespace {

using ::testing::HasSubstr;

const std::string kJob =
    R"({"schedule":{"cron":"0 2 * * *"},"target":{"http":{"url":"http://h/p"}}})";
const std::string kTimer = R"({"in":"30m","target":{"http":{"url":"http://h/p"}}})";
const std::string kExecJob =
    R"({"schedule":{"manual":true},"target":{"exec":{"argv":["/bin/true"]}}})";

ServerOptions plain_options() {
  ServerOptions options;
  options.token = "right";
  options.store_name = kStore;
  return options;
}

struct Ask {
  std::string method;
  std::string target;
  std::string body = {};
};

Request request_of(const Ask& ask, const std::string& authorization = "Bearer right") {
  Request request{.method = ask.method, .target = ask.target, .body = ask.body};
  request.headers.emplace_back("Host", "127.0.0.1:7070");
  if (!authorization.empty()) request.headers.emplace_back("Authorization", authorization);
  if (!ask.body.empty()) request.headers.emplace_back("content-type", "application/json");
  return request;
}

Response answer(const Router& router, const Request& request) {
  Outcome outcome = router.handle(request);
  if (auto* response = std::get_if<Response>(&outcome)) return *response;
  const Call& call = std::get<Call>(outcome);
  return router.respond(call, yes(call.command));
}

Response answer(const Ask& ask) { return answer(Router(plain_options()), request_of(ask)); }

Json error_of(const Response& response) {
  const Result<Json> json = parse_json(response.body);
  EXPECT_TRUE(json.ok()) << response.body;
  return json.ok() ? (*json)["error"] : Json();
}

std::string header_of(const Response& response, std::string_view name) {
  for (const auto& [known, value] : response.headers) {
    if (known == name) return value;
  }
  return "";
}

template <typename Command>
Command command_of(const Request& request) {
  Outcome outcome = Router(plain_options()).handle(request);
  EXPECT_TRUE(std::holds_alternative<Call>(outcome)) << std::get<Response>(outcome).body;
  return std::get<Command>(std::get<Call>(outcome).command);
}

struct RouteCase {
  Ask ask;
  int status;
};

std::vector<RouteCase> all_routes() {
  return {{{"GET", "/metrics"}, 200},
          {{"GET", "/api/v1/apps/shop/jobs"}, 200},
          {{"PUT", "/api/v1/apps/shop/jobs/nightly", kJob}, 201},
          {{"GET", "/api/v1/apps/shop/jobs/nightly"}, 200},
          {{"DELETE", "/api/v1/apps/shop/jobs/nightly"}, 200},
          {{"POST", "/api/v1/apps/shop/jobs/nightly/trigger"}, 200},
          {{"POST", "/api/v1/apps/shop/jobs/nightly/trigger", R"({"in":"1s"})"}, 200},
          {{"POST", "/api/v1/apps/shop/jobs/nightly/pause"}, 200},
          {{"POST", "/api/v1/apps/shop/jobs/nightly/resume"}, 200},
          {{"GET", "/api/v1/apps/shop/timers"}, 200},
          {{"POST", "/api/v1/apps/shop/timers",
            R"({"timers":[{"key":"a","in":"1s","target":{"http":{"url":"http://h"}}}]})"},
           200},
          {{"PUT", "/api/v1/apps/shop/timers/order-17", kTimer}, 201},
          {{"GET", "/api/v1/apps/shop/timers/order-17"}, 200},
          {{"DELETE", "/api/v1/apps/shop/timers/order-17"}, 200},
          {{"GET", "/api/v1/runs"}, 200},
          {{"GET", "/api/v1/runs/abc234defg-2a"}, 200},
          {{"HEAD", "/api/v1/runs"}, 200}};
}

TEST(Routes, EachAnswersWithTheRightTokenAndRefusesAnyOther) {
  const Router router(plain_options());
  for (const auto& [ask, status] : all_routes()) {
    const std::string name = ask.method + " " + ask.target;
    EXPECT_EQ(answer(router, request_of(ask)).status, status) << name;
    for (const char* authorization : {"", "Bearer wrong", "Bearer ", "Bearer", "Basic right",
                                      "right", "Bearer right ", "Bearer righ"}) {
      const Response response = answer(router, request_of(ask, authorization));
      EXPECT_EQ(response.status, 401) << name << " with " << authorization;
      EXPECT_EQ(header_of(response, "WWW-Authenticate"), "Bearer");
    }
  }
}

TEST(Routes, HealthAndReadinessNeedNoToken) {
  const Router router(plain_options());
  for (const char* path : {"/healthz", "/readyz", "/healthz?probe"}) {
    EXPECT_EQ(answer(router, request_of({"GET", path}, "")).status, 200) << path;
  }
}

TEST(Routes, UnknownPathsAreHiddenBehindTheTokenToo) {
  const Router router(plain_options());
  for (const char* path : {"/", "/api", "/api/v1/apps/shop/jobs/", "/api/v1/apps/shop/jobs/a/b",
                           "/healthz/", "/api/v1/runs/x-1", "/API/v1/runs", "//healthz"}) {
    EXPECT_EQ(answer(router, request_of({"GET", path}, "")).status, 401) << path;
    EXPECT_NE(answer(router, request_of({"GET", path})).status, 200) << path;
  }
  EXPECT_EQ(answer({"GET", "/api/v1"}).status, 404);
  EXPECT_EQ(answer({"GET", "/api/v1/runs/other-1"}).status, 404);
}

TEST(Routes, AnotherMethodIsToldWhatIsAllowed) {
  const Response response = answer({"PATCH", "/api/v1/apps/shop/jobs/nightly"});
  EXPECT_EQ(response.status, 405);
  EXPECT_EQ(header_of(response, "Allow"), "PUT, GET, HEAD, DELETE");
  EXPECT_EQ(answer({"OPTIONS", "/api/v1/runs"}).status, 405);
  EXPECT_EQ(answer({"GET", "/api/v1/apps/shop/jobs/nightly/trigger"}).status, 405);
}

TEST(Gates, ForeignHostsAndOriginsAreDenied) {
  const Router router(plain_options());
  const auto status = [&](const std::string& host, const std::string& origin) {
    Request request = request_of({"GET", "/api/v1/runs"});
    request.headers[0].second = host;
    if (!origin.empty()) request.headers.emplace_back("Origin", origin);
    return answer(router, request).status;
  };
  for (const char* host :
       {"127.0.0.1:7070", "127.0.0.1", "localhost", "LocalHost:7070", "[::1]", "[::1]:7070"}) {
    EXPECT_EQ(status(host, ""), 200) << host;
    EXPECT_EQ(status(host, std::string("http://") + host), 200) << host;
    EXPECT_EQ(status(host, "http://evil.example"), 403) << host;
    EXPECT_EQ(status(host, "null"), 403) << host;
  }
  for (const char* host : {"evil.example", "evil.example:7070", "127.0.0.1.evil.example", "",
                           "localhost.", "10.0.0.1", "127.0.0.1@evil.example", "localhost:7070x"}) {
    EXPECT_EQ(status(host, ""), 403) << host;
  }
  EXPECT_EQ(status("127.0.0.1:7070", "http://127.0.0.1:8080"), 403);
}

TEST(Gates, AForeignHostIsDeniedBeforeTheTokenIsLookedAtAndOnOpenRoutes) {
  Request request = request_of({"GET", "/healthz"}, "");
  request.headers[0].second = "evil.example";
  EXPECT_EQ(answer(Router(plain_options()), request).status, 403);
  request.headers.erase(request.headers.begin());
  EXPECT_EQ(answer(Router(plain_options()), request).status, 400);
  request.headers = {{"Host", "localhost"}, {"host", "localhost"}};
  EXPECT_EQ(answer(Router(plain_options()), request).status, 400);
}

TEST(Gates, ExtraHostsAndTheListenAddressAreServed) {
  ServerOptions options = plain_options();
  options.extra_hosts = {"timers.example"};
  options.host = "0.0.0.0";
  const Router router(options);
  Request request = request_of({"GET", "/healthz"}, "");
  for (const auto& [host, status] :
       std::vector<std::pair<std::string, int>>{{"timers.example:80", 200},
                                                {"10.1.2.3:7070", 200},
                                                {"[fe80::1]", 200},
                                                {"other.example", 403}}) {
    request.headers[0].second = host;
    EXPECT_EQ(answer(router, request).status, status) << host;
  }
}

TEST(Bodies, MustBeJsonByTheirContentType) {
  const Router router(plain_options());
  Request request = request_of({"PUT", "/api/v1/apps/shop/jobs/nightly", kJob});
  const auto status = [&](const std::string& type) {
    request.headers.back().second = type;
    return answer(router, request).status;
  };
  EXPECT_EQ(status("application/json"), 201);
  EXPECT_EQ(status("Application/JSON; charset=utf-8"), 201);
  EXPECT_EQ(status("text/plain"), 415);
  EXPECT_EQ(status("application/jsonx"), 415);
  request.headers.pop_back();
  EXPECT_EQ(answer(router, request).status, 415);
}

TEST(Bodies, AreRequiredWhereSomethingIsPut) {
  EXPECT_EQ(answer({"PUT", "/api/v1/apps/shop/jobs/nightly"}).status, 400);
  EXPECT_EQ(answer({"PUT", "/api/v1/apps/shop/timers/k"}).status, 400);
  EXPECT_EQ(answer({"POST", "/api/v1/apps/shop/timers"}).status, 400);
}

struct BadCase {
  Ask ask;
  const char* field;
};

TEST(Errors, NameTheField) {
  const BadCase cases[] = {
      {{"PUT", "/api/v1/apps/shop/jobs/n",
        R"({"schedule":{"cron":"61 * * * *"},"target":{"http":{"url":"http://h"}}})"},
       "schedule.cron"},
      {{"PUT", "/api/v1/apps/shop/jobs/n", R"({"schedule":{"manual":true}})"}, "target"},
      {{"PUT", "/api/v1/apps/a%2Fb/jobs/n", kJob}, "app"},
      {{"PUT", "/api/v1/apps/shop/jobs/a%0Ab", kJob}, "name"},
      {{"PUT", "/api/v1/apps/shop/timers/%FF", kTimer}, "key"},
      {{"GET", "/api/v1/apps/shop/timers/%2E%2E"}, "key"},
      {{"PUT", "/api/v1/apps/shop/jobs/n?dry=1", kJob}, "dry"},
      {{"POST", "/api/v1/apps/shop/timers", R"({"timers":[{"key":"a","in":"x"}]})"},
       "timers[0].in"},
      {{"POST", "/api/v1/apps/shop/timers", R"({"timers":[]})"}, "timers"},
      {{"POST", "/api/v1/apps/shop/timers", "{}"}, "timers"},
      {{"POST", "/api/v1/apps/shop/jobs/n/trigger", R"({"on":"5s"})"}, "on"},
      {{"GET", "/api/v1/runs?limit=0"}, "limit"},
      {{"GET", "/api/v1/runs?limit=1001"}, "limit"},
      {{"GET", "/api/v1/runs?limit=1&limit=2"}, "limit"},
      {{"GET", "/api/v1/runs?limit=1x"}, "limit"},
      {{"GET", "/api/v1/runs?state=done"}, "state"},
      {{"GET", "/api/v1/runs?due_from=now"}, "due_from"},
      {{"GET", "/api/v1/runs?cursor=other-1"}, "cursor"},
      {{"GET", "/api/v1/runs?app="}, "app"},
      {{"GET", "/api/v1/runs?colour=red"}, "colour"},
      {{"GET", "/api/v1/apps/shop/jobs?limit=-1"}, "limit"},
      {{"GET", "/api/v1/apps/shop/jobs?state=failed"}, "state"},
  };
  for (const BadCase& bad : cases) {
    const Response response = answer(bad.ask);
    EXPECT_EQ(response.status, 400) << bad.ask.target;
    const Json error = error_of(response);
    EXPECT_EQ(error["code"], "invalid");
    EXPECT_EQ(error["field"], bad.field) << bad.ask.target;
    EXPECT_NE(error["message"], "");
  }
}

TEST(Errors, BrokenEscapesAndPathsAreInvalid) {
  for (const char* target : {"/api/v1/runs/%", "/api/v1/runs/%4", "/api/v1/runs/%zz",
                             "/api/v1/runs?app=%zz", "api/v1/runs", "http://localhost/healthz"}) {
    EXPECT_EQ(answer({"GET", target}).status, 400) << target;
  }
}

TEST(Errors, BrokenJsonIsInvalid) {
  std::string deep(33, '[');
  for (const std::string& body : {std::string("{"), std::string("nil"), deep,
                                  std::string(R"({"a":1,"a":2})"), std::string("\"\xff\"")}) {
    EXPECT_EQ(answer({"PUT", "/api/v1/apps/shop/jobs/n", body}).status, 400) << body;
  }
}

TEST(Targets, ExecAndInProcessAreDeniedUnlessAllowed) {
  const Ask exec{"PUT", "/api/v1/apps/shop/jobs/n", kExecJob};
  const Ask batch{"POST", "/api/v1/apps/shop/timers",
                  R"({"timers":[{"key":"a","in":"1s","target":{"http":{"url":"http://h"}}},
                                {"key":"b","in":"1s","target":{"in_process":{"name":"f"}}}]})"};
  EXPECT_EQ(answer(exec).status, 403);
  EXPECT_EQ(error_of(answer(exec))["code"], "denied");
  EXPECT_EQ(error_of(answer(exec))["field"], "target.exec");
  EXPECT_EQ(error_of(answer(batch))["field"], "timers[1].target.in_process");
  ServerOptions options = plain_options();
  options.allow_exec = true;
  EXPECT_EQ(answer(Router(options), request_of(exec)).status, 201);
  EXPECT_EQ(answer(Router(options), request_of(batch)).status, 403);
  options.allow_in_process = true;
  EXPECT_EQ(answer(Router(options), request_of(batch)).status, 200);
}

TEST(Targets, UrlsAreCheckedByTheOwnersRule) {
  ServerOptions options = plain_options();
  options.check_url = [](std::string_view url) -> Status {
    if (url == "http://h/p") return {};
    return Error{ErrorCode::denied, "private address", ""};
  };
  const Router router(options);
  EXPECT_EQ(answer(router, request_of({"PUT", "/api/v1/apps/shop/jobs/n", kJob})).status, 201);
  const Response response =
      answer(router, request_of({"PUT", "/api/v1/apps/shop/timers/k",
                                 R"({"in":"1s","target":{"http":{"url":"http://10.0.0.1/"}}})"}));
  EXPECT_EQ(response.status, 403);
  EXPECT_EQ(error_of(response)["field"], "target.http.url");
}

std::string batch_of(std::size_t count) {
  Json json;
  for (std::size_t i = 0; i < count; ++i) {
    json["timers"].push_back({{"key", "order-" + std::to_string(i)},
                              {"in", "30m"},
                              {"target", {{"http", {{"url", "http://h"}}}}}});
  }
  return dump_json(json);
}

TEST(Batches, HoldUpToTenThousandTimers) {
  for (const auto& [count, status] :
       std::vector<std::pair<std::size_t, int>>{{9'999, 200}, {10'000, 200}, {10'001, 400}}) {
    EXPECT_EQ(answer({"POST", "/api/v1/apps/shop/timers", batch_of(count)}).status, status)
        << count;
  }
}

TEST(Batches, AKeyMayOccurOnce) {
  const std::string item = R"({"key":"a","in":"1s","target":{"http":{"url":"http://h"}}})";
  const Response response =
      answer({"POST", "/api/v1/apps/shop/timers", R"({"timers":[)" + item + "," + item + "]}"});
  EXPECT_EQ(error_of(response)["field"], "timers[1].key");
}

TEST(Limits, TargetHeadersAndBodyHoldToTheLastUnit) {
  const Router router(plain_options());
  const ServerLimits limits;
  const auto with_target = [&](std::size_t bytes) {
    return answer(router, request_of({"GET", "/api/v1/runs?app=" + std::string(bytes - 17, '&')}))
        .status;
  };
  EXPECT_NE(with_target(limits.target_bytes - 1), 414);
  EXPECT_NE(with_target(limits.target_bytes), 414);
  EXPECT_EQ(with_target(limits.target_bytes + 1), 414);
  const auto with_headers = [&](std::size_t count) {
    Request request = request_of({"GET", "/healthz"}, "");
    while (request.headers.size() < count) request.headers.emplace_back("X-More", "1");
    return answer(router, request).status;
  };
  EXPECT_EQ(with_headers(limits.header_count - 1), 200);
  EXPECT_EQ(with_headers(limits.header_count), 200);
  EXPECT_EQ(with_headers(limits.header_count + 1), 431);
  const auto with_body = [&](std::size_t bytes) {
    const std::string body = kJob + std::string(bytes - kJob.size(), ' ');
    return answer(router, request_of({"PUT", "/api/v1/apps/shop/jobs/n", body})).status;
  };
  EXPECT_EQ(with_body(limits.body_bytes - 1), 201);
  EXPECT_EQ(with_body(limits.body_bytes), 201);
  EXPECT_EQ(with_body(limits.body_bytes + 1), 413);
}

TEST(IdempotencyKeys, ArePassedOnAndHaveALimit) {
  Request request = request_of({"PUT", "/api/v1/apps/shop/timers/k", kTimer});
  request.headers.emplace_back("idempotency-key", std::string(255, 'k'));
  EXPECT_EQ(command_of<engine::PutTimers>(request).idempotency_key, std::string(255, 'k'));
  Request trigger = request_of({"POST", "/api/v1/apps/shop/jobs/n/trigger"});
  trigger.headers.emplace_back("Idempotency-Key", "once");
  EXPECT_EQ(command_of<engine::TriggerJob>(trigger).idempotency_key, "once");
  for (const std::string& bad : {std::string(256, 'k'), std::string(), std::string("a b")}) {
    request.headers.back().second = bad;
    const Response response = answer(Router(plain_options()), request);
    EXPECT_EQ(response.status, 400);
    EXPECT_EQ(error_of(response)["field"], "Idempotency-Key");
  }
}

TEST(Commands, CarryWhatWasAsked) {
  const auto put = command_of<engine::PutTimers>(
      request_of({"PUT", "/api/v1/apps/my%20shop/timers/%C3%BC%2525", kTimer}));
  EXPECT_EQ(put.app, "my shop");
  ASSERT_EQ(put.timers.size(), 1u);
  EXPECT_EQ(put.timers[0].key, "ü%25");
  EXPECT_EQ(put.timers[0].in, std::chrono::minutes{30});
  const auto list = command_of<engine::ListJobs>(
      request_of({"GET", "/api/v1/apps/shop/jobs?cursor=a+b&limit=7"}));
  EXPECT_EQ(list.after_name, "a b");
  EXPECT_EQ(list.limit, 7u);
  const auto runs = command_of<engine::QueryRuns>(
      request_of({"GET",
                  "/api/v1/runs?app=shop&job=n&key=k&state=failed&due_from=1970-01-01T00:00:01Z"
                  "&due_to=1970-01-01T00:00:02Z&cursor=abc234defg-2a&limit=1000"}));
  EXPECT_EQ(runs.filter.app, "shop");
  EXPECT_EQ(runs.filter.job, "n");
  EXPECT_EQ(runs.filter.key, "k");
  EXPECT_EQ(runs.filter.state, domain::RunState::failed);
  EXPECT_EQ(runs.filter.due_from, from_micros(1'000'000));
  EXPECT_EQ(runs.filter.due_to, from_micros(2'000'000));
  EXPECT_EQ(runs.filter.before, domain::RunId{42});
  EXPECT_EQ(runs.filter.limit, 1000u);
  EXPECT_FALSE(runs.filter.origin.has_value());
  const auto timers =
      command_of<engine::QueryRuns>(request_of({"GET", "/api/v1/apps/shop/timers"}));
  EXPECT_EQ(timers.filter.origin, domain::RunOrigin::timer);
  EXPECT_EQ(timers.filter.app, "shop");
  EXPECT_EQ(timers.filter.limit, 100u);
}

TEST(Replies, ListsCarryACursor) {
  EXPECT_THAT(answer({"GET", "/api/v1/runs"}).body, HasSubstr(R"("next_cursor":"abc234defg-2a")"));
  EXPECT_THAT(answer({"GET", "/api/v1/apps/a/jobs"}).body, HasSubstr(R"("next_cursor":"nightly")"));
  EXPECT_THAT(answer({"GET", "/api/v1/apps/a/timers"}).body, HasSubstr(R"({"next_cursor")"));
  EXPECT_THAT(answer({"GET", "/api/v1/runs/abc234defg-2a"}).body, HasSubstr(R"("attempts":[{)"));
}

Response refused(Error error, std::optional<domain::Run> current = {}) {
  const Router router(plain_options());
  Outcome outcome = router.handle(request_of({"DELETE", "/api/v1/apps/shop/timers/k"}));
  return router.respond(std::get<Call>(outcome),
                        engine::Reply{0, std::move(error), std::move(current)});
}

TEST(Replies, ErrorsOfTheEngineHaveTheirStatus) {
  const std::vector<std::pair<ErrorCode, int>> cases = {
      {ErrorCode::invalid, 400},     {ErrorCode::denied, 403},
      {ErrorCode::not_found, 404},   {ErrorCode::conflict, 409},
      {ErrorCode::busy, 429},        {ErrorCode::fenced, 503},
      {ErrorCode::unavailable, 503}, {ErrorCode::unknown_outcome, 503},
      {ErrorCode::full, 507}};
  for (const auto& [code, status] : cases) {
    const Response response = refused(Error{code, "why", ""});
    EXPECT_EQ(response.status, status);
    EXPECT_EQ(error_of(response)["code"], to_string(code));
    EXPECT_EQ(error_of(response)["message"], "why");
    EXPECT_FALSE(error_of(response).contains("field"));
    EXPECT_EQ(header_of(response, "Retry-After").empty(), status < 429);
  }
}

TEST(Replies, AConflictTellsWhatStandsInTheWay) {
  domain::Run current = YesReply::run();
  current.state = domain::RunState::running;
  const Json error = error_of(refused(Error{ErrorCode::conflict, "too late", ""}, current));
  EXPECT_EQ(error["state"], "running");
  EXPECT_EQ(error["run"], "abc234defg-2a");
}

TEST(Replies, AnEngineThatIsNotReadySaysWhy) {
  const Router router(plain_options());
  Outcome outcome = router.handle(request_of({"GET", "/readyz"}, ""));
  const Response response = router.respond(
      std::get<Call>(outcome),
      engine::Reply{0, engine::ReplyBody(engine::HealthReply{false, "catching up"}), {}});
  EXPECT_EQ(response.status, 503);
  EXPECT_EQ(error_of(response)["message"], "catching up");
}

}  // namespace
}  // namespace escapement::api
