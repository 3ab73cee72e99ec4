#include <fmt/format.h>

#include "attend/core/strings/counted.h"
#include "attend/core/threads/parallel.h"
#include "attend/lab/exercise.h"
#include "attend/lab/experiments.h"
#include "attend/lab/stopwatch.h"
#include "attend/ops/losses/cross_entropy.h"

namespace attend::lab {

namespace {

constexpr int kWidth = 256;

// With d_ff = d_model, a Transformer layer has the 6 d^2 weights of a GRU.
TransformerConfig one_layer() {
  TransformerConfig config;
  config.d_model = config.d_ff = kWidth;
  config.n_heads = 4;
  config.n_encoder_layers = 1;
  config.dropout = 0;
  return config;
}

double step_milliseconds(SequenceModel& model, const Exercise& exercise, int thread_count,
                         double budget) {
  const RuntimeScope runtime({.threads = thread_count, .device = Runtime::current().device()});
  return 1e3 * fastest_call(budget, [&] {
           model.parameters().gradients().zero();
           Pass pass = Pass::training(1, 1);
           backward(cross_entropy(model.logits(exercise, pass), exercise.targets).loss);
         });
}

}  // namespace

LabResult run_parallelism(const Lab& lab) {
  const std::int64_t tokens = lab.full_or_quick<std::int64_t>(2048, 64);
  const auto lengths =
      lab.full_or_quick<std::vector<std::int64_t>>({8, 32, 128, 512, 2048}, {8, 64});
  const double budget = lab.full_or_quick(0.8, 0.0);
  const int all = threads();
  const auto transformer = make_transformer(one_layer(), {}, lab.options.seed);
  const auto gru = make_gru(kWidth, 1, {}, lab.options.seed);
  Random random({lab.options.seed, stream_of("lab.parallelism")});

  LabResult result;
  result.measured = fmt::format(
      "Forward and backward pass of one layer of width {} over {} tokens, in sequences of growing "
      "length: the GRU's arithmetic is the same in every row, only its parallelism differs. {} "
      "parameters in the Transformer, {} in the GRU; 1 thread and {}.",
      kWidth, tokens, transformer->parameters().size(), gru->parameters().size(), all);
  result.table.columns = {"length",
                          "sequences",
                          "Transformer, ms",
                          "GRU, ms",
                          "GRU / Transformer",
                          "Transformer, speed-up by threads",
                          "GRU, speed-up by threads"};
  Plot plot{
      "parallelism",
      fmt::format("A training step of {}, {}", counted(tokens, "token"), counted(all, "thread")),
      {"length of the sequences", AxisScale::log2},
      {"milliseconds", AxisScale::log10},
      {{"Transformer layer", {}}, {"GRU layer", {}}}};
  for (const std::int64_t n : lengths) {
    lab.progress(fmt::format("length {}", n));
    const Exercise exercise = recall_back(random, tokens / n, n, 0, 16);
    double ms[2], speed_up[2];
    for (const bool recurrent : {false, true}) {
      SequenceModel& model = recurrent ? *gru : *transformer;
      ms[recurrent] = step_milliseconds(model, exercise, all, budget);
      speed_up[recurrent] = step_milliseconds(model, exercise, 1, budget) / ms[recurrent];
      plot.series[recurrent].points.emplace_back(static_cast<double>(n), ms[recurrent]);
    }
    result.table.rows.push_back(
        {fmt::format("{}", n), fmt::format("{}", tokens / n), fmt::format("{:.1f}", ms[0]),
         fmt::format("{:.1f}", ms[1]), fmt::format("{:.2f}", ms[1] / ms[0]),
         fmt::format("{:.2f}", speed_up[0]), fmt::format("{:.2f}", speed_up[1])});
  }

  const auto growth = [&](std::size_t series) {
    return plot.series[series].points.back().second / plot.series[series].points.front().second;
  };
  const double slower = plot.series[1].points.back().second / plot.series[0].points.back().second;
  result.plots.push_back(plot);
  result.verdict = growth(1) > 1.5 && slower > 1 ? Verdict::confirmed : Verdict::refuted;
  result.finding = fmt::format(
      "From length {} to {} the step of the GRU takes {:.1f} times as long, that of the "
      "Transformer {:.1f} times (it pays for n^2 pairs). "
      "On one sequence of {} tokens the GRU takes {:.1f} times the Transformer's time.",
      lengths.front(), lengths.back(), growth(1), growth(0), lengths.back(), slower);
  return result;
}

}  // namespace attend::lab
