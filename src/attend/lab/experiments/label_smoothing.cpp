#include <fmt/format.h>

#include "attend/lab/experiments.h"
#include "attend/lab/translation_trial.h"

namespace attend::lab {

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
    double mean_perplexity = 0, mean_bleu = 0;
    std::string each;
    for (std::uint64_t seed = lab.options.seed; seed < lab.options.seed + seeds; ++seed) {
      lab.progress(fmt::format("label smoothing {}, seed {}: {} steps", smoothing, seed, steps));
      options.seed = seed;
      const Trial trial =
          run_trial(*corpus.objective(trial_transformer(), smoothing, 2048, seed), options);
      mean_perplexity += trial.last().perplexity / static_cast<double>(seeds);
      mean_bleu += trial.last().bleu / static_cast<double>(seeds);
      if (smoothing == 0.0f) plain.push_back(trial.last().bleu);
      better += trial.last().bleu > plain[static_cast<std::size_t>(seed - lab.options.seed)];
      each += fmt::format("{}{:.1f}", each.empty() ? "" : ", ", trial.last().bleu);
    }
    const auto at = static_cast<double>(perplexity.categories.size());
    for (Plot* plot : {&perplexity, &bleu})
      plot->categories.push_back(fmt::format("{:g}", smoothing));
    perplexity.series[0].points.emplace_back(at, mean_perplexity);
    bleu.series[0].points.emplace_back(at, mean_bleu);
    result.table.rows.push_back({fmt::format("{:g}", smoothing),
                                 fmt::format("{:.3f}", mean_perplexity),
                                 fmt::format("{:.1f}", mean_bleu), each});
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
