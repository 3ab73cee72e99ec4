#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"

namespace attend::lab {

namespace {

constexpr std::int32_t kExtrapolatedSymbols = 16;
constexpr std::int64_t kTrained = 32, kTested = 128, kBack = 3;

TransformerConfig two_layers(PositionKind positions) {
  TransformerConfig config;
  config.d_model = 64;
  config.n_heads = 4;
  config.d_ff = 128;
  config.n_encoder_layers = 2;
  config.dropout = 0;
  config.norm_first = true;
  config.positions = positions;
  config.max_positions = kTested;
  return config;
}

double mean(const std::vector<double>& values, std::int64_t begin, std::int64_t end) {
  return std::accumulate(values.begin() + begin, values.begin() + end, 0.0) /
         static_cast<double>(end - begin);
}

}  // namespace

LabResult run_extrapolation(const Lab& lab) {
  const std::int64_t steps = lab.full_or_quick<std::int64_t>(2500, 30);
  LabResult result;
  result.measured = fmt::format(
      "The task at every position: name the symbol (of {}) {} positions earlier. Two causal layers "
      "(d_model 64) are trained for {} steps on sequences of {} and tested on others of {}. "
      "The table shows the accuracy by position; guessing gives {:.3f}.",
      kExtrapolatedSymbols, kBack, steps, kTrained, kTested, 1.0 / kExtrapolatedSymbols);
  result.table.columns = {"positions", "1-32 (trained)", "33-40", "41-64", "65-128"};
  Plot plot{"extrapolation", "Beyond the training length", {"position"}, {"accuracy"}, {}};

  double beyond[3] = {}, within[3] = {};
  int i = 0;
  for (const PositionKind kind :
       {PositionKind::sinusoidal, PositionKind::learned, PositionKind::none}) {
    const std::string label(enum_names(kind)[static_cast<std::size_t>(kind)]);
    lab.progress(fmt::format("{}: {} steps", label, steps));
    const auto model = make_transformer(two_layers(kind), {}, lab.options.seed);
    const auto make = [](Random& random) {
      return recall_back(random, 32, kTrained, kBack, kExtrapolatedSymbols);
    };
    practise(*model, make, {steps, 0, 1e-3f, 100, lab.options.seed});
    Random random({lab.options.seed, stream_of("lab.extrapolation.test")});
    const std::vector<double> right =
        accuracy_by_position(*model, recall_back(random, lab.full_or_quick<std::int64_t>(512, 16),
                                                 kTested, kBack, kExtrapolatedSymbols));
    within[i] = mean(right, kBack, kTrained);
    beyond[i] = mean(right, kTrained, 2 * kTrained);
    result.table.rows.push_back(
        {label, fmt::format("{:.3f}", within[i]), fmt::format("{:.3f}", mean(right, 32, 40)),
         fmt::format("{:.3f}", mean(right, 40, 64)), fmt::format("{:.3f}", mean(right, 64, 128))});
    Series series{label, {}};
    for (std::int64_t p = kBack; p < kTested; ++p)
      series.points.emplace_back(static_cast<double>(p + 1), right[static_cast<std::size_t>(p)]);
    plot.series.push_back(series);
    ++i;
  }
  result.plots.push_back(plot);
  if (std::min(within[0], within[1]) < 0.9) {
    result.verdict = Verdict::unclear;
  } else {
    result.verdict = beyond[0] > 0.9 && beyond[1] < 0.5 ? Verdict::confirmed : Verdict::refuted;
  }
  result.finding = fmt::format(
      "Within the training length sinusoids reach {:.3f}, learned positions {:.3f}, none {:.3f}; "
      "on as many positions beyond it {:.3f}, {:.3f} and {:.3f}. The claim needs more than 0.9 "
      "beyond for sinusoids and less than 0.5 for learned positions.",
      within[0], within[1], within[2], beyond[0], beyond[1], beyond[2]);
  return result;
}

}  // namespace attend::lab
