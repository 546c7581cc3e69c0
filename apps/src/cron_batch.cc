#include <istream>
#include <ostream>

#include "cron_verbs.h"

namespace escapement::apps {
namespace {

// Reads one line without its end; text beyond the limit is stepped over. False at the end.
bool read_line(std::istream& in, std::string& line, bool& too_long) {
  line.clear();
  too_long = false;
  std::streambuf& buffer = *in.rdbuf();
  for (int c = buffer.sbumpc(); c != std::char_traits<char>::eof(); c = buffer.sbumpc()) {
    if (c == '\n') return true;
    if (line.size() < kMaxBatchLineBytes) {
      line += static_cast<char>(c);
    } else {
      too_long = true;
    }
  }
  return !line.empty();
}

Result<CronOptions> read_question(const std::string& line) {
  Result<Json> json = parse_json(line, {.bytes = kMaxBatchLineBytes});
  if (!json.ok()) return json.error();
  JsonReader reader(*json, "");
  CronOptions options;
  auto expression = reader.string("expr", kMaxBatchLineBytes);
  if (!reader.failed() && !expression) reader.fail("expr", "is required");
  options.expression = expression.value_or("");
  options.dialect = reader.string("dialect").value_or("");
  options.zone = reader.string("tz").value_or("UTC");
  options.from = reader.string("from").value_or("");
  options.count = reader.integer("count", {1, kMaxCronCount}).value_or(kDefaultCronCount);
  if (reader.failed()) return reader.finish().error();
  return options;
}

Result<Json> answer(const std::string& line, Instant now) {
  Result<CronOptions> options = read_question(line);
  if (!options.ok()) return options.error();
  Result<calendar::Cron> cron = read_cron(*options);
  if (!cron.ok()) return cron.error();
  Result<Instant> from = read_from(*options, now);
  if (!from.ok()) return from.error();
  return Json{{"next", next_fires(*cron, *from, options->count)}};
}

Json error_json(const Error& error) {
  return {{"error", error.field.empty() ? error.message : error.field + ": " + error.message}};
}

}  // namespace

int cron_batch(Console& console) {
  std::string line;
  bool too_long = false;
  while (read_line(console.in, line, too_long)) {
    Result<Json> reply =
        too_long ? Result<Json>(invalid("", "the line is longer than " +
                                                std::to_string(kMaxBatchLineBytes) + " bytes"))
                 : answer(line, console.clock.now().wall);
    console.out << dump_json(reply.ok() ? *reply : error_json(reply.error())) << '\n';
    // Whoever waits for the answer before he writes the next line must get it now.
    if (console.in.rdbuf()->in_avail() <= 0) console.out.flush();
    if (!console.out) return kExitFailed;
  }
  console.out.flush();
  return kExitFine;
}

}  // namespace escapement::apps
