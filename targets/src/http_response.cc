#include "http_response.h"

#include <boost/beast/core/buffer_traits.hpp>
#include <boost/beast/core/buffers_range.hpp>
#include <boost/beast/http/parser.hpp>
#include <optional>

#include "output_buffer.h"

namespace escapement::targets {
namespace {

namespace http = boost::beast::http;
using boost::beast::error_code;

// A Beast body that keeps its beginning. Stops the parser with body_limit when it is too long.
struct CappedBody {
  using value_type = OutputBuffer;

  class reader {
   public:
    template <bool is_request, class Fields>
    reader(http::header<is_request, Fields>&, value_type& body) : body_(body) {}

    template <class Length>
    void init(const Length&, error_code& error) {
      error = {};
    }
    template <class Buffers>
    std::size_t put(const Buffers& buffers, error_code& error) {
      error = {};
      for (const boost::asio::const_buffer piece : boost::beast::buffers_range_ref(buffers)) {
        body_.append({static_cast<const char*>(piece.data()), piece.size()});
      }
      if (body_.total() > kMaxResponseBytes) error = http::error::body_limit;
      return boost::beast::buffer_bytes(buffers);
    }
    void finish(error_code& error) { error = {}; }

   private:
    value_type& body_;
  };
};

using Parser = http::response_parser<CappedBody>;

}  // namespace

struct ResponseReader::State {
  explicit State(bool head) : is_head(head) { renew(); }

  void renew() {
    parser.emplace();
    parser->skip(is_head);
    parser->eager(true);
    parser->header_limit(kMaxResponseHeaderBytes);
    parser->body_limit(boost::none);  // CappedBody counts: a long body must not hide its beginning
  }
  bool is_interim() const {
    const int status = parser->get().result_int();
    return parser->is_done() && status / 100 == 1 && status != 101;
  }
  std::string header(http::field name) const { return std::string(parser->get()[name]); }

  const bool is_head;
  std::optional<Parser> parser;
  std::string unread;
  int interim = 0;
  bool cut = false;  // the body was longer than we read
};

ResponseReader::ResponseReader(bool is_head) : state_(std::make_unique<State>(is_head)) {}
ResponseReader::~ResponseReader() = default;
ResponseReader::ResponseReader(ResponseReader&&) noexcept = default;

Result<ResponseReader::Progress> ResponseReader::feed(std::string_view bytes) {
  State& state = *state_;
  state.unread += bytes;
  while (!state.unread.empty()) {
    error_code error;
    const std::size_t size = state.parser->put(
        boost::asio::const_buffer(state.unread.data(), state.unread.size()), error);
    state.unread.erase(0, size);
    if (error == http::error::body_limit) {
      state.cut = true;
      return Progress::done;
    }
    if (error == http::error::need_more) return Progress::more;
    if (error) return Error{ErrorCode::invalid, "bad HTTP response: " + error.message()};
    if (!state.parser->is_done()) continue;
    if (!state.is_interim()) return Progress::done;
    if (++state.interim > kMaxInterimResponses) {
      return Error{ErrorCode::invalid, "bad HTTP response: too many interim responses"};
    }
    state.renew();
  }
  return Progress::more;
}

Status ResponseReader::feed_end() {
  error_code error = http::error::end_of_stream;
  if (state_->parser->got_some()) state_->parser->put_eof(error);
  if (!error && state_->parser->is_done()) return {};
  return Error{ErrorCode::unavailable, "the connection was closed before the end of the response"};
}

bool ResponseReader::can_reuse() const {
  return !state_->cut && state_->unread.empty() && state_->parser->keep_alive();
}

HttpResponse ResponseReader::take() {
  auto& message = state_->parser->get();
  return {.status = static_cast<int>(message.result_int()),
          .reason = std::string(message.reason()),
          .retry_after = state_->header(http::field::retry_after),
          .location = state_->header(http::field::location),
          .body = message.body().take()};
}

}  // namespace escapement::targets
