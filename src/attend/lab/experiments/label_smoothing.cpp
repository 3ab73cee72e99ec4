#include <fmt/format.h>

#include "attend/lab/experiments.h"
#include "attend/lab/translation_trial.h"

namespace attend::lab {

namespace {

// With one share of label smoothing: means over the seeds, and the BLEU of each.
struct SmoothedTrials {
  double perplexity = 0, bleu = 0;
  std::vector<double> bleus = {};

  std::string each() const {
    std::string text;
    for (const double one : bleus) text += fmt::format("{}{:.1f}", text.empty() ? "" : ", ", one);
    return text;
  }
};

SmoothedTrials smoothed_trials(const Lab& lab, const TrialCorpus& corpus, TrialOptions options,
                               float smoothing, std::uint64_t seeds) {
  SmoothedTrials trials;
  for (std::uint64_t seed = lab.options.seed; seed < lab.options.seed + seeds; ++seed) {
    lab.progress(
        fmt::format("label smoothing {}, seed {}: {} steps", smoothing, seed, options.steps));
    options.seed = seed;
    const Trial trial =
        run_trial(*corpus.objective(trial_transformer(), smoothing, 2048, seed), options);
    trials.perplexity += trial.last().perplexity / static_cast<double>(seeds);
    trials.bleu += trial.last().bleu / static_cast<double>(seeds);
    trials.bleus.push_back(trial.last().bleu);
  }
  return trials;
}

}  // namespace

LabResult run_label_smoothing(const Lab& lab) {
  const std::int64_t steps = lab.full_or_quick<std::int64_t>(300, 4);
  const std::uint64_t seeds = lab.full_or_quick<std::uint64_t>(3, 1);
  const int sentences = lab.full_or_quick(4000, 400);
  TrialOptions options;
  options.steps = steps;
  options.schedule = {ScheduleKind::cosine, 3e-3f, static_cast<int>(steps / 4), 0.0f};

  LabResult result;
  result.measured = fmt::format(
      "The demo's translator (2 + 2 layers, d_model 128, no dropout) learns {} steps from {} "
      "generated sentence pairs, with and without label smoothing, {} seed{}. Perplexity (without "
      "smoothing) and BLEU (greedy) on {} other sentences.",
      steps, sentences, seeds, seeds == 1 ? "" : "s", lab.full_or_quick(300, 10));
  result.table.columns = {"label smoothing", "perplexity", "BLEU", "BLEU of each seed"};
  Plot perplexity{"label-smoothing-perplexity",
                  "Label smoothing and perplexity",
                  {"label smoothing"},
                  {"perplexity"},
                  {{"mean over seeds", {}}}};
  Plot bleu{"label-smoothing-bleu",
            "Label smoothing and BLEU",
            {"label smoothing"},
            {"BLEU"},
            {{"mean over seeds", {}}}};
  const TrialCorpus corpus =
      TrialCorpus::demo(sentences, lab.full_or_quick(300, 10), lab.options.seed);
  std::vector<double> plain;  // BLEU of each seed without smoothing
  std::int64_t better = 0;    // seeds for which smoothing is better
  for (const float smoothing : {0.0f, 0.1f}) {
    const SmoothedTrials trials = smoothed_trials(lab, corpus, options, smoothing, seeds);
    if (smoothing == 0.0f) plain = trials.bleus;
    for (std::size_t i = 0; i < plain.size(); ++i) better += trials.bleus[i] > plain[i];
    const auto at = static_cast<double>(perplexity.categories.size());
    for (Plot* plot : {&perplexity, &bleu})
      plot->categories.push_back(fmt::format("{:g}", smoothing));
    perplexity.series[0].points.emplace_back(at, trials.perplexity);
    bleu.series[0].points.emplace_back(at, trials.bleu);
    result.table.rows.push_back({fmt::format("{:g}", smoothing),
                                 fmt::format("{:.3f}", trials.perplexity),
                                 fmt::format("{:.1f}", trials.bleu), trials.each()});
  }
  const auto change = [](const Plot& plot) {
    return plot.series[0].points[1].second - plot.series[0].points[0].second;
  };
  // If the seeds disagree about BLEU, it is noise.
  const bool worse_perplexity = change(perplexity) > 0,
             agree = better == 0 || better == static_cast<std::int64_t>(seeds);
  result.verdict = !agree                           ? Verdict::unclear
                   : worse_perplexity && better > 0 ? Verdict::confirmed
                                                    : Verdict::refuted;
  result.finding =
      fmt::format("With label smoothing of 0.1 the perplexity changes by {:+.3f}, BLEU by {:+.1f}.",
                  change(perplexity), change(bleu));
  result.plots = {perplexity, bleu};
  return result;
}

}  // namespace attend::lab
