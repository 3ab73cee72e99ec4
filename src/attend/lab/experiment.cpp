#include "attend/lab/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/options/nearest_name.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/lab/experiments.h"

namespace attend::lab {

std::string_view name_of(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames{"confirmed", "refuted", "unclear"};
  return kNames[static_cast<std::size_t>(verdict)];
}

LabResult run_experiment(const Experiment& experiment, const Lab& lab) {
  LabResult result = experiment.measure(lab);
  if (lab.options.quick && !experiment.exact) {
    result.verdict = Verdict::unclear;
    result.finding += " No verdict: --quick is too short.";
  }
  return result;
}

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all{
      {"permutation",
       "Without positions, attention ignores the order of its input: permuting the tokens permutes "
       "the outputs.",
       run_permutation, true},
      {"temperature",
       "The variance of dot products grows with their width d, which saturates the softmax and "
       "starves it of gradient; dividing by sqrt(d) "
       "keeps both constant.",
       run_temperature, true},
      {"masks",
       "A causal mask hides later tokens completely; a decoder without one sees them and learns to "
       "cheat.",
       run_masks, true},
      {"complexity", "Self-attention costs n^2 d, a recurrent or position-wise layer n d^2.",
       run_complexity},
      {"parallelism",
       "A Transformer layer processes all positions at once; a recurrent layer takes one step per "
       "position, so long sequences slow it down.",
       run_parallelism},
      {"path-length",
       "A token n positions back is one step away for attention and n steps for a recurrent "
       "network, which therefore recalls only nearby tokens.",
       run_path_length},
      {"extrapolation",
       "Sinusoidal positions extrapolate beyond the training length; learned ones do not.",
       run_extrapolation},
      {"heads",
       "Several heads attend to several things at once; one head with as many parameters averages "
       "them.",
       run_heads},
      {"depth",
       "Residual connections and layer normalization together make deep stacks trainable; without "
       "either they are not.",
       run_depth},
      {"label-smoothing", "Label smoothing makes perplexity worse and BLEU better.",
       run_label_smoothing},
      {"warmup", "Post-norm Transformers need warm-up to learn at high learning rates.",
       run_warmup},
      {"hard-attention",
       "Soft attention learns where to look because gradients pass through it; hard attention "
       "passes none and does not learn.",
       run_hard_attention},
      {"architectures",
       "With the same parameters and the same time, a Transformer translates better than a "
       "recurrent network with attention.",
       run_architectures, false, true},
  };
  return all;
}

const Experiment& find_experiment(std::string_view name) {
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) {
    if (experiment.name == name) return experiment;
    names.push_back(experiment.name);
  }
  const std::string hint = did_you_mean(name, names);
  throw ConfigError(fmt::format("unknown experiment {}{}", printable(name),
                                hint.empty() ? "; attend lab lists them" : hint));
}

}  // namespace attend::lab
