#include <fmt/format.h>

#include <algorithm>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"

namespace attend::lab {

namespace {

constexpr std::int32_t kHeadSymbols = 8;
constexpr std::int64_t kHeadLength = 24, kNear = 1, kFar = 5;

TransformerConfig one_layer(int heads) {
  TransformerConfig config;
  config.d_model = 64;
  config.n_heads = heads;
  config.d_ff = 64;
  config.n_encoder_layers = 1;
  config.dropout = 0;
  config.norm_first = true;
  return config;
}

// Predict two symbols at once, in order: those one and five positions back.
Exercise two_at_once(Random& random, std::int64_t batch) {
  ExerciseBuilder builder;
  for (std::int64_t b = 0; b < batch; ++b) {
    const auto ids = random_symbols(random, kHeadLength, kHeadSymbols);
    builder.add_sequence(ids);
    for (std::int64_t i = kFar; i < kHeadLength; ++i)
      builder.ask(i, kHeadSymbols * ids[static_cast<std::size_t>(i - kNear)] +
                         ids[static_cast<std::size_t>(i - kFar)]);
  }
  return builder.build();
}

}  // namespace

LabResult run_heads(const Lab& lab) {
  const std::int64_t steps = lab.full_or_quick<std::int64_t>(1200, 20);
  const auto head_counts = lab.full_or_quick<std::vector<int>>({1, 2, 4, 8, 16}, {1, 4});
  const std::uint64_t seeds = lab.full_or_quick<std::uint64_t>(3, 1);
  LabResult result;
  result.measured = fmt::format(
      "The task at every position: name the symbols (of {}) one and five positions earlier; both "
      "must be right. One causal layer, d_model 64 split among its heads, so that all models have "
      "the same number of parameters; {} steps, {} seed{}, accuracy on 256 new sequences. Guessing "
      "gives {:.3f}.",
      kHeadSymbols, steps, seeds, seeds == 1 ? "" : "s", 1.0 / (kHeadSymbols * kHeadSymbols));
  result.table.columns = {"heads", "parameters", "accuracy", "worst seed", "best seed"};
  Plot plot{"heads",
            "Two things at once, equal parameters",
            {"heads"},
            {"accuracy"},
            {{"mean over seeds", {}}}};
  for (const int heads : head_counts) {
    double sum = 0, worst = 1, best = 0;
    std::int64_t parameters = 0;
    for (std::uint64_t seed = lab.options.seed; seed < lab.options.seed + seeds; ++seed) {
      lab.progress(fmt::format("{} heads, seed {}", heads, seed));
      const auto model =
          make_transformer(one_layer(heads), {kHeadSymbols, kHeadSymbols * kHeadSymbols}, seed);
      practise(*model, [](Random& random) { return two_at_once(random, 32); },
               {steps, 0, 2e-3f, 50, seed});
      Random random({lab.options.seed, stream_of("lab.heads.test")});
      const double right = accuracy(*model, two_at_once(random, 256));
      parameters = model->parameters().size();
      sum += right, worst = std::min(worst, right), best = std::max(best, right);
    }
    const double mean = sum / static_cast<double>(seeds);
    plot.series[0].points.emplace_back(static_cast<double>(plot.categories.size()), mean);
    plot.categories.push_back(fmt::format("{}", heads));
    result.table.rows.push_back({fmt::format("{}", heads), fmt::format("{}", parameters),
                                 fmt::format("{:.3f}", mean), fmt::format("{:.3f}", worst),
                                 fmt::format("{:.3f}", best)});
  }
  const double one = plot.series[0].points.front().second;
  const auto& points = plot.series[0].points;
  const auto best =
      std::max_element(points.begin() + 1, points.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  const std::string best_heads = plot.categories[static_cast<std::size_t>(best->first)];
  result.verdict = best->second > one + 0.05   ? Verdict::confirmed
                   : best->second < one - 0.05 ? Verdict::refuted
                                               : Verdict::unclear;
  result.finding = fmt::format(
      "With one head the accuracy is {:.3f}, with {} heads {:.3f}, with equal parameters.", one,
      best_heads, best->second);
  result.plots.push_back(plot);
  return result;
}

}  // namespace attend::lab
