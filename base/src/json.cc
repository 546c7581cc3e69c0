#include "escapement/base/json.h"

#include <algorithm>
#include <vector>

#include "quote.h"

namespace escapement {
namespace {

// Builds the document from the parser's events and stops at the first thing that is not allowed.
// One pass: a duplicate is seen when its key is about to be inserted.
class DocumentBuilder final : public nlohmann::json_sax<Json> {
 public:
  DocumentBuilder(std::string_view text, std::size_t depth) : text_(text), max_depth_(depth) {}

  Json take() { return std::move(root_); }
  const Error& error() const { return error_; }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override { return put(std::move(value)); }
  bool binary(binary_t& value) override { return put(std::move(value)); }

  bool start_object(std::size_t) override { return open(Json::object()); }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }

  bool key(string_t& name) override {
    Frame& frame = frames_.back();
    frame.key = name;
    const auto [slot, inserted] = frame.container->emplace(name, nullptr);
    frame.slot = &*slot;
    return inserted || fail("the field occurs twice in one object");
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception&) override {
    error_ = invalid("", "malformed JSON at " + place(position));
    return false;
  }

 private:
  struct Frame {
    Json* container;
    std::string key = {};  // of the value that comes next, in an object
    Json* slot = nullptr;  // where that value goes
  };

  // Puts a value where the next one belongs, and answers the place.
  Json* place_value(Json value) {
    if (frames_.empty()) return &(root_ = std::move(value));
    Frame& frame = frames_.back();
    if (frame.container->is_object()) return &(*frame.slot = std::move(value));
    return &frame.container->emplace_back(std::move(value));
  }

  bool put(Json value) {
    place_value(std::move(value));
    return true;
  }

  bool open(Json container) {
    Json* const placed = place_value(std::move(container));
    if (frames_.size() == max_depth_) {
      return fail("nested deeper than " + std::to_string(max_depth_) + " levels");
    }
    // `placed` stays where it is: the parent grows only after this frame is closed.
    frames_.push_back(Frame{placed});
    return true;
  }

  bool close() {
    frames_.pop_back();
    return true;
  }

  // An error at the value or key that was placed last.
  bool fail(std::string message) {
    error_ = invalid(path(), std::move(message));
    return false;
  }

  std::string path() const {
    std::string path;
    for (const Frame& frame : frames_) {
      if (frame.container->is_array()) {
        path += "[" + std::to_string(frame.container->size() - 1) + "]";
      } else {
        path += (path.empty() ? "" : ".") + clipped(frame.key);
      }
    }
    return path;
  }

  // `position` counts the bytes read so far.
  std::string place(std::size_t position) const {
    const std::string_view read = text_.substr(0, position > 0 ? position - 1 : 0);
    const auto line = 1 + std::count(read.begin(), read.end(), '\n');
    const std::size_t line_start = read.rfind('\n') + 1;  // npos + 1 is 0
    return "line " + std::to_string(line) + ", column " +
           std::to_string(read.size() - line_start + 1);
  }

  const std::string_view text_;
  const std::size_t max_depth_;
  Json root_;
  std::vector<Frame> frames_;
  Error error_;
};

}  // namespace

Result<Json> parse_json(std::string_view text, JsonLimits limits) {
  if (text.size() > limits.bytes) {
    return invalid("", "the JSON text has " + std::to_string(text.size()) + " bytes, allowed are " +
                           std::to_string(limits.bytes));
  }
  DocumentBuilder builder(text, limits.depth);
  if (!Json::sax_parse(text, &builder)) return builder.error();
  return builder.take();
}

std::string dump_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace escapement
