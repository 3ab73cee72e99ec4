// Every option of the optimizers and of the schedule reaches what it is for: altered alone, it
// changes the parameters after some steps.
#include <fmt/format.h>

#include <fmt/ranges.h>

#include "attend/core/random/random.h"
#include "attend/optim/optimizer_choice.h"
#include "attend/optim/schedule.h"
#include "core/altered_option.h"

namespace attend {
namespace {

std::string parameters_after_steps(const OptimizerOptions& options) {
  ParameterSet parameters;
  const Init normal{Init::Kind::normal, 1.0f};
  parameters.add_output_weights("table", {5, 4}, normal);
  parameters.add_weights("layers.0.matrix", {4, 6}, normal);
  parameters.add("bias", {3}, normal);
  parameters.allocate(1);
  const auto optimizer = make_optimizer(parameters, options);
  for (std::uint64_t step = 1; step <= 3; ++step) {
    Random random({2, step});
    for (float& g : parameters.gradients().span()) g = static_cast<float>(step) * random.normal();
    optimizer->step(0.01f);
  }
  return fmt::format("{}", fmt::join(parameters.values().to_vector(), " "));
}

TEST(OptionWiring, OfTheOptimizers) {
  for (const OptimizerKind kind :
       {OptimizerKind::adam, OptimizerKind::muon, OptimizerKind::adam8bit}) {
    OptimizerOptions base;
    base.kind = kind;
    base.adam.epsilon = 0.1f;
    expect_every_option_matters<OptimizerOptions>(
        base, parameters_after_steps,
        {{"muon-momentum", [](auto& o) { o.kind = OptimizerKind::muon; }}});
  }
}

TEST(OptionWiring, OfTheSchedule) {
  ScheduleOptions base;
  base.learning_rate = 0.5f;
  base.warmup_steps = 8;
  const auto rates = [](const ScheduleOptions& options) {
    const auto schedule = make_schedule(options, 64, 100);
    std::string all;
    for (const std::int64_t step : {1, 8, 9, 20, 60, 99, 100})
      all += fmt::format("{} ", schedule->at(step));
    return all;
  };
  for (const ScheduleKind kind : {ScheduleKind::linear, ScheduleKind::cosine}) {
    base.kind = kind;
    expect_every_option_matters<ScheduleOptions>(base, rates);
  }
  for (const ScheduleKind kind :
       {ScheduleKind::inverse_sqrt, ScheduleKind::noam, ScheduleKind::constant}) {
    base.kind = kind;
    expect_every_option_matters<ScheduleOptions>(
        base, rates, {{"min-learning-rate", [](auto& o) { o.kind = ScheduleKind::linear; }}});
  }
}

}  // namespace
}  // namespace attend
