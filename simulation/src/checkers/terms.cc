#include "all.h"

namespace escapement::simulation {
namespace {

class Terms final : public Checker {
 public:
  explicit Terms(const CheckerContext& context)
      : Checker("terms only grow (I5)", context.stage, context.history) {}

  void on_start(const engine::Recovered& recovered) override {
    expect(recovered.term > term_,
           "term " + std::to_string(recovered.term) + " after " + std::to_string(term_));
    expect(recovered.previous_term == term_, "the store forgot the term before");
    term_ = recovered.term;
  }

  void on_dispatch(const Start& start) override {
    expect(start.dispatch.term == term_, "a dispatch under a foreign term");
  }

 private:
  domain::Term term_ = 0;
};

}  // namespace

std::unique_ptr<Checker> make_terms(const CheckerContext& context) {
  return std::make_unique<Terms>(context);
}

}  // namespace escapement::simulation
