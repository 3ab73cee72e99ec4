#include "attend/tasks/lab/experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "attend/core/error.h"
#include "attend/core/nearest_name.h"
#include "attend/tasks/lab/experiments.h"

namespace attend::lab {

std::string_view name_of(Verdict verdict) {
  static constexpr std::array<std::string_view, 3> kNames{"confirmed", "refuted", "unclear"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::span<const Experiment> experiments() {
  static const std::vector<Experiment> all{
      {"permutation", "Without positions, attention does not see the order of its input: permute the tokens, and the outputs are permuted.",
       run_permutation},
      {"temperature",
       "The variance of dot products grows with their width d, which saturates the softmax and starves it of gradient; dividing by sqrt(d) "
       "keeps both constant.",
       run_temperature},
      {"masks", "A causal mask leaks nothing of later tokens, not a bit; a decoder without one leaks, and learns to cheat.", run_masks},
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
  throw ConfigError(fmt::format("unknown experiment {}{}", name, hint.empty() ? "; attend lab lists them" : hint));
}

}  // namespace attend::lab
