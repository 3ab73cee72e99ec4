#include <fmt/format.h>

#include <algorithm>

#include "attend/lab/experiments.h"
#include "attend/lab/translation_trial.h"

namespace attend::lab {

namespace {

// The means of every ten losses.
Series smoothed(const std::string& label, const std::vector<double>& losses) {
  Series series{label, {}};
  for (std::size_t end = 10; end <= losses.size(); end += 10) {
    double sum = 0;
    for (std::size_t i = end - 10; i < end; ++i) sum += losses[i];
    series.points.emplace_back(static_cast<double>(end), sum / 10);
  }
  return series;
}

}  // namespace

LabResult run_warmup(const Lab& lab) {
  const std::int64_t steps = lab.full_or_quick<std::int64_t>(300, 10);
  const int warmup = static_cast<int>(steps / 3);
  const int layers = lab.full_or_quick(4, 1);
  const auto rates = lab.full_or_quick<std::vector<float>>({5e-4f, 1e-3f, 2e-3f}, {1e-3f});
  TransformerConfig config = trial_transformer();
  config.n_encoder_layers = config.n_decoder_layers = layers;
  config.d_ff = 256;

  LabResult result;
  result.measured = fmt::format(
      "A post-norm translator as in the paper ({0} + {0} layers, d_model 128) learns {1} steps "
      "from the demo's sentences. The learning "
      "rate is constant, or rises to the same value over the first {2} steps; no clipping of "
      "gradients. The table shows the loss per token "
      "of the last 20 steps.",
      layers, steps, warmup);
  result.table.columns = {"learning rate", "loss with warm-up", "loss without"};
  Plot plot{
      "warmup", "Post-norm training with and without warm-up", {"step"}, {"loss per token"}, {}};
  const TrialCorpus corpus =
      TrialCorpus::demo(lab.full_or_quick(10000, 400), lab.full_or_quick(100, 5), lab.options.seed);
  int better = 0;
  double best_with = INFINITY, best_without = INFINITY;
  for (const float rate : rates) {
    double loss[2];
    for (const bool warm : {true, false}) {
      lab.progress(fmt::format("learning rate {}, {} warm-up: {} steps", rate,
                               warm ? "with" : "without", steps));
      TrialOptions options;
      options.steps = steps;
      options.validations = 0;
      options.clip_norm = 0;
      options.seed = lab.options.seed;
      options.schedule = {ScheduleKind::constant, rate, warm ? warmup : 0, 0.0f};
      const Trial trial =
          run_trial(*corpus.objective(config, 0.0f, 1024, lab.options.seed), options);
      loss[warm] = trial.diverged ? INFINITY : trial.recent_loss();
      plot.series.push_back(
          smoothed(fmt::format("{:g}, {}", rate, warm ? "warm-up" : "none"), trial.losses));
    }
    better += loss[true] < 0.9 * loss[false] ? 1 : 0;
    best_with = std::min(best_with, loss[true]);
    best_without = std::min(best_without, loss[false]);
    result.table.rows.push_back({fmt::format("{:g}", rate), fmt::format("{:.3f}", loss[true]),
                                 fmt::format("{:.3f}", loss[false])});
  }
  result.plots.push_back(plot);
  const bool needed = best_with < 0.9 * best_without && better > 0;
  result.verdict = needed ? Verdict::confirmed : better > 0 ? Verdict::unclear : Verdict::refuted;
  result.finding = fmt::format(
      "Warm-up lowers the loss by more than a tenth at {} of {} learning rates. The best loss with "
      "it is {:.3f}, without it {:.3f}.",
      better, rates.size(), best_with, best_without);
  return result;
}

}  // namespace attend::lab
