// Low-rank adaptation (Hu et al. 2022, "LoRA"): a matrix W [out, in] is used as W + alpha/r B A.
// Only A [r, in] and B [out, r] are trained.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/nn/parameters/parameters.h"

namespace attend {

struct LowRankOptions {
  int rank = 0;
  float alpha = 16.0f;
  std::vector<std::string> targets{"*.q_proj.weight", "*.v_proj.weight"};
};

template <class Visitor>
void fields(LowRankOptions& o, Visitor&& visit) {
  visit("lora-rank", o.rank, between(0, 65536),
        "rank of low-rank adapters (LoRA) to train instead of the whole model of --init-from; 0: "
        "none");
  visit("lora-alpha", o.alpha, above(0, 1e6), "scale of low-rank adapters: lora-alpha / lora-rank");
  visit("lora-targets", o.targets,
        "matrices that get a low-rank adapter: patterns of names, such as *.q_proj.weight");
}

// The names of the adapter of a matrix "x.weight": "x.lora_a" and "x.lora_b".
std::string lora_a_name(const std::string& weight);
std::string lora_b_name(const std::string& weight);

// weight [O, I] + scale second [O, r] first [r, I], with gradients. The same bits in training and
// for a merged model.
Variable adapted_weight(const Variable& weight, const Variable& first, const Variable& second,
                        float scale);

class LowRankAdapters {
 public:
  // Freezes `base` (allocated), which must outlive the adapters. `whole`: parameters that are
  // trained as they are, such as a new head. At first, B is zero, and A drawn from the seed. Throws
  // ConfigError for a pattern that fits no matrix of weights.
  LowRankAdapters(ParameterSet& base, const LowRankOptions& options,
                  const std::set<std::string>& whole, std::uint64_t seed);
  LowRankAdapters(const LowRankAdapters&) = delete;
  LowRankAdapters& operator=(const LowRankAdapters&) = delete;

  // What is trained: those of the adapters, and `whole` by its own names.
  ParameterSet& parameters() { return parameters_; }

  // Puts the adapted matrices in place of the base's. To be called before each forward pass.
  void apply();

 private:
  // An entry of the base has `first` alone, an adapter has both.
  struct Trained {
    Parameter first, second;
  };

  ParameterSet& base_;
  float scale_;
  ParameterSet parameters_;
  std::map<std::string, Trained> trained_;
};

}  // namespace attend
