#include <gmock/gmock.h>

#include "codec_test_util.h"

namespace escapement::domain {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string read(const std::string& text) {
  return outcome(target_from_json(json_of(text), "target"));
}

std::string read_http(const std::string& more) {
  return read(R"({"http":{"url":"http://h")" + (more.empty() ? "" : "," + more) + "}}");
}

std::string read_exec(const std::string& more) {
  return read(R"({"exec":{"argv":["/bin/true"])" + (more.empty() ? "" : "," + more) + "}}");
}

Json round_trip(const std::string& text) {
  const Result<Target> target = target_from_json(json_of(text), "");
  EXPECT_TRUE(target.ok()) << outcome(target);
  return target.ok() ? to_json(*target) : Json();
}

TEST(TargetCodec, EveryTargetSurvivesTheRoundTrip) {
  for (
      const char* text :
      {R"({"http":{"method":"PUT","url":"https://h:8443/p?q=1","headers":{"A":"1","B":"ä"},
            "body":"text"}})",
       R"({"http":{"method":"GET","url":"http://[::1]/","headers":{},
            "body":{"n":1.5,"list":[null,true,"x"]}}})",
       R"({"http":{"method":"POST","url":"http://h","headers":{},"body":7}})",
       R"({"exec":{"argv":["a","","c d"],"stdin":"s","env":{"A":"=","B":""},"cwd":"/",
            "user":"u"}})",
       R"({"in_process":{"name":"resize","payload":"p"}})"}) {
    EXPECT_EQ(round_trip(text), json_of(text));
  }
}

TEST(TargetCodec, AJsonBodyIsSentAsCompactTextAndAStringAsItIs) {
  const Result<Target> json =
      target_from_json(json_of(R"({"http":{"url":"http://h","body": { "a" : [ 1 ] } }})"), "");
  EXPECT_EQ(std::get<HttpTarget>(*json).body, R"({"a":[1]})");
  EXPECT_TRUE(std::get<HttpTarget>(*json).body_is_json);
  const Result<Target> text =
      target_from_json(json_of(R"({"http":{"url":"http://h","body":"{\"a\":1}"}})"), "");
  EXPECT_EQ(std::get<HttpTarget>(*text).body, R"({"a":1})");
  EXPECT_FALSE(std::get<HttpTarget>(*text).body_is_json);
}

TEST(TargetCodec, ExactlyOneKindIsAllowed) {
  EXPECT_THAT(read("{}"), StartsWith("target: must have exactly one of"));
  EXPECT_THAT(read(R"({"http":{"url":"http://h"},"exec":{"argv":["x"]}})"),
              StartsWith("target: must have exactly one of"));
  EXPECT_THAT(read(R"({"ftp":{}})"), StartsWith("target.ftp: unknown field"));
  EXPECT_THAT(read("7"), StartsWith("target: must be an object"));
}

TEST(TargetCodec, HttpErrorsNameThePathOfTheField) {
  EXPECT_THAT(read(R"({"http":{}})"), StartsWith("target.http.url: is required"));
  EXPECT_THAT(read(R"({"http":{"url":"ftp://h"}})"), StartsWith("target.http.url: must begin"));
  EXPECT_THAT(read(R"({"http":{"url":"http:///p"}})"), StartsWith("target.http.url: must name"));
  EXPECT_THAT(read(R"({"http":{"url":"http://h/a b"}})"), StartsWith("target.http.url: must not"));
  EXPECT_THAT(read(R"({"http":{"url":"http://h\r\nX:1"}})"),
              StartsWith("target.http.url: must not"));
  EXPECT_THAT(read_http(R"("method":"TRACE")"), StartsWith("target.http.method: must be GET"));
  EXPECT_THAT(read_http(R"("verb":"GET")"), StartsWith("target.http.verb: unknown field"));
}

TEST(TargetCodec, HeadersCannotSmuggleALineOrFraming) {
  EXPECT_EQ(read_http(R"("headers":{"X-A":"tab\tis fine"})"), "ok");
  EXPECT_THAT(read_http(R"("headers":{"X-A":"1\r\nX-B: 2"})"),
              StartsWith("target.http.headers.X-A: must not contain control characters"));
  EXPECT_THAT(read_http(R"("headers":{"X A":"1"})"), StartsWith("target.http.headers.X A: is no"));
  EXPECT_THAT(read_http(R"("headers":{"":"1"})"), StartsWith("target.http.headers.: is no"));
  EXPECT_THAT(read_http(R"("headers":{"X-A":1})"), StartsWith("target.http.headers.X-A: must be"));
  EXPECT_THAT(read_http(R"("headers":{"x-a":"1","X-A":"2"})"), HasSubstr("occurs twice"));
  for (const char* header : {"Content-Length", "transfer-encoding", "Connection", "Upgrade"}) {
    const std::string name = header;
    EXPECT_THAT(read_http("\"headers\":{\"" + name + "\":\"1\"}"),
                StartsWith("target.http.headers." + name + ": is set by the server"));
  }
}

std::string headers_of(std::size_t count, std::size_t value_bytes) {
  std::string text = "\"headers\":{";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? ",\"h" : "\"h") + std::to_string(100 + i) + "\":\"" +
            std::string(value_bytes, 'x') + "\"";
  }
  return text + "}";
}

TEST(TargetCodec, HttpLimitsHoldToTheLastByte) {
  EXPECT_EQ(read_http(headers_of(kMaxHeaders, 1)), "ok");
  EXPECT_THAT(read_http(headers_of(kMaxHeaders + 1, 1)), StartsWith("target.http.headers: must"));
  EXPECT_EQ(read_http(headers_of(2, kMaxHeaderBytes / 2 - 4)), "ok");
  EXPECT_THAT(read_http(headers_of(2, kMaxHeaderBytes / 2 - 3)), HasSubstr("bytes together"));
  const auto url = [](std::size_t bytes) {
    return read(R"({"http":{"url":"http://)" + std::string(bytes - 7, 'h') + "\"}}");
  };
  EXPECT_EQ(url(kMaxUrlBytes), "ok");
  EXPECT_THAT(url(kMaxUrlBytes + 1), StartsWith("target.http.url: must have at most 8192"));
  const auto body = [](std::size_t bytes) {
    return read_http("\"body\":\"" + std::string(bytes, 'b') + "\"");
  };
  EXPECT_EQ(body(kMaxPayloadBytes), "ok");
  EXPECT_THAT(body(kMaxPayloadBytes + 1), StartsWith("target.http.body: must have at most 262144"));
}

TEST(TargetCodec, AJsonBodyCountsAsTheTextThatIsSent) {
  const auto body = [](std::size_t bytes) {
    return read_http("\"body\":[\"" + std::string(bytes - 4, 'b') + "\"]");
  };
  EXPECT_EQ(body(kMaxPayloadBytes), "ok");
  EXPECT_THAT(body(kMaxPayloadBytes + 1), StartsWith("target.http.body: must have at most"));
}

TEST(TargetCodec, ExecErrorsNameThePathOfTheField) {
  EXPECT_THAT(read(R"({"exec":{}})"), StartsWith("target.exec.argv: is required"));
  EXPECT_THAT(read(R"({"exec":{"argv":[]}})"), StartsWith("target.exec.argv: is required"));
  EXPECT_THAT(read(R"({"exec":{"argv":"ls"}})"), StartsWith("target.exec.argv: must be an array"));
  EXPECT_THAT(read(R"({"exec":{"argv":[""]}})"), StartsWith("target.exec.argv[0]: must name"));
  EXPECT_THAT(read(R"({"exec":{"argv":["a",1]}})"), StartsWith("target.exec.argv[1]: must be a"));
  EXPECT_THAT(read(R"({"exec":{"argv":["a","b\u0000"]}})"), HasSubstr("argv[1]: must not contain"));
  EXPECT_THAT(read_exec(R"("env":{"A=B":"1"})"), StartsWith("target.exec.env.A=B: is no name"));
  EXPECT_THAT(read_exec(R"("env":{"":"1"})"), StartsWith("target.exec.env.: is no name"));
  EXPECT_THAT(read_exec(R"("env":{"A":1})"), StartsWith("target.exec.env.A: must be a string"));
  EXPECT_THAT(read_exec(R"("env":{"A":"\u0000"})"), StartsWith("target.exec.env.A: must not"));
  EXPECT_THAT(read_exec(R"("cwd":"tmp")"), StartsWith("target.exec.cwd: must be an absolute path"));
  EXPECT_THAT(read_exec(R"("user":"\u0000")"), StartsWith("target.exec.user: must not contain"));
  EXPECT_THAT(read_exec(R"("shell":true)"), StartsWith("target.exec.shell: unknown field"));
}

TEST(TargetCodec, ExecLimitsHoldToTheLastUnit) {
  const auto argv = [](std::size_t count, std::size_t bytes) {
    Json json;
    json["exec"]["argv"] = std::vector<std::string>(count, std::string(bytes, 'a'));
    return outcome(target_from_json(json, ""));
  };
  EXPECT_EQ(argv(kMaxArgv, 1), "ok");
  EXPECT_THAT(argv(kMaxArgv + 1, 1), StartsWith("exec.argv: must have at most 256 items"));
  EXPECT_EQ(argv(2, kMaxArgvBytes / 2 - 1), "ok");
  EXPECT_THAT(argv(2, kMaxArgvBytes / 2), HasSubstr("bytes together"));
  const auto env = [](std::size_t count) {
    Json json;
    json["exec"]["argv"] = {"x"};
    for (std::size_t i = 0; i < count; ++i) json["exec"]["env"]["v" + std::to_string(i)] = "";
    return outcome(target_from_json(json, ""));
  };
  EXPECT_EQ(env(kMaxEnvironment), "ok");
  EXPECT_THAT(env(kMaxEnvironment + 1), StartsWith("exec.env: must have at most 256 names"));
  const auto input = [](std::size_t bytes) {
    return read_exec("\"stdin\":\"" + std::string(bytes, 'b') + "\"");
  };
  EXPECT_EQ(input(kMaxPayloadBytes), "ok");
  EXPECT_THAT(input(kMaxPayloadBytes + 1), StartsWith("target.exec.stdin: must have at most"));
}

TEST(TargetCodec, AnInProcessTargetNeedsAName) {
  EXPECT_THAT(read(R"({"in_process":{}})"), StartsWith("target.in_process.name: is required"));
  EXPECT_EQ(round_trip(R"({"in_process":{"name":"f","payload":{"a":1}}})"),
            json_of(R"({"in_process":{"name":"f","payload":"{\"a\":1}"}})"));
}

std::string redacted(const std::string& text) {
  return dump_json(to_json_redacted(*target_from_json(json_of(text), "")));
}

TEST(TargetCodec, RedactionHidesTheValuesOfSecretNames) {
  for (const char* header : {"Authorization", "cookie", "PROXY-AUTHORIZATION", "X-Api-Key",
                             "x-secret-thing", "My-Token", "Db-Password"}) {
    const std::string name = header;
    const std::string text = redacted(R"({"http":{"url":"http://h","headers":{")" + name +
                                      R"(":"hush","X-Plain":"seen"}}})");
    EXPECT_THAT(text, Not(HasSubstr("hush"))) << name;
    EXPECT_THAT(text, HasSubstr("\"" + name + "\":\"***\""));
    EXPECT_THAT(text, HasSubstr("seen"));
  }
}

TEST(TargetCodec, RedactionHidesEnvironmentAndCredentialsInUrls) {
  EXPECT_THAT(redacted(R"({"exec":{"argv":["x"],"env":{"DB_PASSWORD":"hush","HOME":"/h"}}})"),
              Not(HasSubstr("hush")));
  EXPECT_THAT(redacted(R"({"http":{"url":"http://u:hush@h/p?a=b@c"}})"),
              HasSubstr("\"http://***@h/p?a=b@c\""));
  EXPECT_THAT(redacted(R"({"http":{"url":"http://h/p@q"}})"), HasSubstr("\"http://h/p@q\""));
}

TEST(TargetCodec, LongNamesAreCutShortInErrors) {
  const std::string name(100'000, 'h');
  EXPECT_LT(read_http("\"headers\":{\"" + name + "\":\"1\"}").size(), 300u);
  EXPECT_LT(read_exec("\"env\":{\"" + name + "\":\"1\"}").size(), 300u);
  EXPECT_LT(read("{\"" + name + "\":{}}").size(), 300u);
}

}  // namespace
}  // namespace escapement::domain
