#include "escapement/base/json.h"

#include <gtest/gtest.h>

namespace escapement {
namespace {

Error error_of(std::string_view text, JsonLimits limits = {}) {
  const Result<Json> parsed = parse_json(text, limits);
  EXPECT_FALSE(parsed.ok()) << text;
  return parsed.ok() ? Error{} : parsed.error();
}

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(ParseJson, BuildsTheSameDocumentAsThePlainParser) {
  const char* text = R"({"a":[1,-2,3.5,true,false,null,"x\u00e9",[],{}],"b":{"c":{"d":[[1],[2]]}},
                         "big":18446744073709551615,"e":""})";
  const Result<Json> parsed = parse_json(text);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, Json::parse(text));
}

TEST(ParseJson, ReadsScalarsAtTheTop) {
  EXPECT_EQ(*parse_json("7"), Json(7));
  EXPECT_EQ(*parse_json(" null "), Json(nullptr));
  EXPECT_EQ(*parse_json("\"x\""), Json("x"));
}

TEST(ParseJson, RefusesADuplicateKeyByItsPath) {
  EXPECT_EQ(error_of(R"({"a":1,"a":1})").field, "a");
  EXPECT_EQ(error_of(R"({"x":{"y":1},"timers":[{},{"retry":{"max":1,"max":2}}]})").field,
            "timers[1].retry.max");
  EXPECT_NE(error_of(R"({"a":1,"\u0061":2})").message.find("twice"), std::string::npos);
  EXPECT_TRUE(parse_json(R"([{"a":1},{"a":1}])").ok());
}

TEST(ParseJson, NestingStopsExactlyAtTheLimit) {
  EXPECT_TRUE(parse_json(nested(31)).ok());
  EXPECT_TRUE(parse_json(nested(32)).ok());
  const Error error = error_of(nested(33));
  EXPECT_EQ(error.code, ErrorCode::invalid);
  EXPECT_NE(error.message.find("deeper than 32"), std::string::npos);
  EXPECT_FALSE(parse_json(nested(500'000)).ok());
  EXPECT_EQ(error_of(R"({"a":[0,{"b":1}]})", {.depth = 2}).field, "a[1]");
}

TEST(ParseJson, LengthStopsExactlyAtTheLimit) {
  const std::string text = "\"" + std::string(98, 'x') + "\"";
  EXPECT_TRUE(parse_json(text, {.bytes = 100}).ok());
  EXPECT_TRUE(parse_json(text, {.bytes = 101}).ok());
  EXPECT_NE(error_of(text, {.bytes = 99}).message.find("100 bytes"), std::string::npos);
}

TEST(ParseJson, MalformedTextIsRefusedWithItsPlace) {
  EXPECT_EQ(error_of("{\n  \"a\": 1,\n  oops\n}").message, "malformed JSON at line 3, column 3");
  for (const char* text : {"", "{", "[1,]", "{\"a\":}", "{a:1}", "1 2", "nul", "'x'", "\"\x80\"",
                           "\"\\ud800\"", "1e999", "NaN", "// x\n1", "{} x", "\"a\tb\""}) {
    EXPECT_EQ(error_of(text).code, ErrorCode::invalid) << text;
  }
}

TEST(DumpJson, ReplacesInvalidUtf8InsteadOfThrowing) {
  EXPECT_EQ(dump_json(Json{{"a", "x\xff"}}), "{\"a\":\"x\xef\xbf\xbd\"}");
}

TEST(JsonReader, ReadsEachKindOfField) {
  const Json json = Json::parse(R"({"s":"text","i":5,"n":0.5,"b":true,"d":"1h30m",
      "at":"2026-03-29T01:30:00Z","o":{},"a":[],"v":null})");
  JsonReader reader(json, "");
  EXPECT_EQ(reader.string("s"), "text");
  EXPECT_EQ(reader.integer("i", {1, 100}), 5);
  EXPECT_EQ(reader.number("n", 0, 1), 0.5);
  EXPECT_EQ(reader.boolean("b"), true);
  EXPECT_EQ(reader.duration("d"), std::chrono::minutes{90});
  EXPECT_EQ(reader.instant("at"), *parse_instant("2026-03-29T01:30:00Z"));
  ASSERT_NE(reader.object("o"), nullptr);
  ASSERT_NE(reader.array("a"), nullptr);
  ASSERT_NE(reader.value("v"), nullptr);
  EXPECT_TRUE(reader.finish().ok());
}

TEST(JsonReader, AnAbsentFieldIsNoError) {
  const Json json = Json::object();
  JsonReader reader(json, "");
  EXPECT_EQ(reader.string("s"), std::nullopt);
  EXPECT_EQ(reader.integer("i"), std::nullopt);
  EXPECT_EQ(reader.object("o"), nullptr);
  EXPECT_FALSE(reader.has("s"));
  EXPECT_TRUE(reader.finish().ok());
}

TEST(JsonReader, AnUnknownFieldIsRefusedByItsPath) {
  const Json json = Json::parse(R"({"max_attempts":1,"max_atempts":2})");
  JsonReader reader(json, "retry");
  reader.integer("max_attempts");
  const Status status = reader.finish();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().field, "retry.max_atempts");
  EXPECT_EQ(status.error().message, "unknown field; known here: max_attempts");
}

TEST(JsonReader, TheFirstErrorSticksAndLaterReadsAnswerNothing) {
  const Json json = Json::parse(R"({"a":"x","b":2})");
  JsonReader reader(json, "timers[3]");
  EXPECT_EQ(reader.integer("a"), std::nullopt);
  EXPECT_TRUE(reader.failed());
  EXPECT_EQ(reader.integer("b"), std::nullopt);
  reader.fail("b", "another");
  EXPECT_EQ(reader.finish().error().field, "timers[3].a");
}

TEST(JsonReader, WhatIsNotAnObjectHasNoFields) {
  const Json json = Json::parse("[1]");
  JsonReader reader(json, "target");
  EXPECT_FALSE(reader.has("x"));
  EXPECT_EQ(reader.value("x"), nullptr);
  EXPECT_EQ(reader.finish().error().field, "target");
  EXPECT_EQ(reader.finish().error().message, "must be an object, not an array");
}

TEST(JsonReader, NullIsAWrongType) {
  const Json json = Json::parse(R"({"a":null})");
  JsonReader reader(json, "");
  EXPECT_EQ(reader.string("a"), std::nullopt);
  EXPECT_EQ(reader.finish().error().message, "must be a string, not null");
}

std::string integer_error(const char* value, IntegerRange range) {
  const Json json = Json::parse(std::string("{\"n\":") + value + "}");
  JsonReader reader(json, "");
  reader.integer("n", range);
  const Status status = reader.finish();
  return status.ok() ? "" : status.error().message;
}

TEST(JsonReader, IntegersAreCheckedAtTheEdgesOfTheirRange) {
  EXPECT_EQ(integer_error("1", {1, 100}), "");
  EXPECT_EQ(integer_error("100", {1, 100}), "");
  EXPECT_EQ(integer_error("0", {1, 100}), "must be a whole number from 1 to 100, not 0");
  EXPECT_EQ(integer_error("101", {1, 100}), "must be a whole number from 1 to 100, not 101");
  EXPECT_EQ(integer_error("1.5", {1, 100}), "must be a whole number from 1 to 100, not 1.5");
  EXPECT_EQ(integer_error("9223372036854775807", {}), "");
  EXPECT_NE(integer_error("9223372036854775808", {}), "");
  EXPECT_NE(integer_error("18446744073709551615", {INT64_MIN, INT64_MAX}), "");
  EXPECT_EQ(integer_error("-9223372036854775808", {INT64_MIN, 0}), "");
}

TEST(JsonReader, StringsAreCheckedAtTheirLimit) {
  const Json json = {{"a", "four"}};
  JsonReader fits(json, "");
  EXPECT_EQ(fits.string("a", 4), "four");
  JsonReader too_long(json, "");
  EXPECT_EQ(too_long.string("a", 3), std::nullopt);
  EXPECT_EQ(too_long.finish().error().message, "must have at most 3 bytes, not 4");
}

TEST(JsonReader, NumbersAreCheckedAtTheEdgesOfTheirRange) {
  const Json json = {{"n", 1}, {"m", 1.001}};
  JsonReader reader(json, "");
  EXPECT_EQ(reader.number("n", 0, 1), 1.0);
  EXPECT_EQ(reader.number("m", 0, 1), std::nullopt);
  EXPECT_EQ(reader.finish().error().message, "must be a number from 0.0 to 1.0, not 1.001");
}

TEST(JsonReader, TimesKeepTheReasonOfTheParser) {
  const Json json = {{"d", "5"}, {"e", "1s"}, {"at", "tomorrow"}};
  JsonReader bad(json, "schedule");
  EXPECT_EQ(bad.duration("d"), std::nullopt);
  EXPECT_EQ(bad.finish().error().field, "schedule.d");
  EXPECT_NE(bad.finish().error().message.find("the units are"), std::string::npos);
  JsonReader small(json, "");
  EXPECT_EQ(small.duration("e", std::chrono::seconds{2}), std::nullopt);
  EXPECT_EQ(small.finish().error().message, "must be at least 2s, not \"1s\"");
  JsonReader late(json, "");
  EXPECT_EQ(late.instant("at"), std::nullopt);
  EXPECT_NE(late.finish().error().message.find("the date must be"), std::string::npos);
}

TEST(JsonReader, CutsLongInputShortInItsMessages) {
  Json json = {{"n", std::string(100'000, 'x')}};
  JsonReader reader(json, "");
  reader.integer("n");
  EXPECT_LT(reader.finish().error().message.size(), 200u);
  JsonReader nobody_asked(json = {{std::string(100'000, 'x'), 1}}, "");
  EXPECT_LT(nobody_asked.finish().error().field.size(), 200u);
}

}  // namespace
}  // namespace escapement
