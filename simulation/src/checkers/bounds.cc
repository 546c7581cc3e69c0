#include "all.h"

namespace escapement::simulation {
namespace {

class Bounds final : public Checker {
 public:
  explicit Bounds(const CheckerContext& context)
      : Checker("memory is bounded (I13)", context.stage, context.history),
        options_(context.options) {}

  void on_dispatch(const Start&) override {
    expect(history_.in_flight() <= static_cast<std::int64_t>(options_.max_in_flight),
           std::to_string(history_.in_flight()) + " attempts in flight");
  }

  void on_reply(const Exchange&, const engine::Reply& reply) override {
    if (!reply.result.ok()) return;
    const auto* metrics = std::get_if<engine::MetricsReply>(&*reply.result);
    if (metrics == nullptr) return;
    // A write that was under way when the last place was taken still comes in.
    const std::size_t limit = options_.max_loaded_runs + options_.plan_page + options_.load_page;
    expect(metrics->loaded_runs <= static_cast<std::int64_t>(limit),
           std::to_string(metrics->loaded_runs) + " runs loaded");
    expect(metrics->in_flight <= static_cast<std::int64_t>(options_.max_in_flight),
           std::to_string(metrics->in_flight) + " attempts in flight by its own count");
  }

 private:
  const engine::EngineOptions& options_;
};

}  // namespace

std::unique_ptr<Checker> make_bounds(const CheckerContext& context) {
  return std::make_unique<Bounds>(context);
}

}  // namespace escapement::simulation
