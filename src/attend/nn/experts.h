// A mixture of experts (Shazeer et al. 2017) in place of one feed-forward network: each token is
// computed by the few of several networks that a router prefers for it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "attend/nn/layers.h"

namespace attend {

struct ExpertOptions {
  FeedForwardOptions expert;  // each of them
  int experts = 8;
  int per_token = 2;              // those that compute a token
  bool normalized = true;         // their weights add up to 1
  std::int64_t shared_width = 0;  // d_ff of one more network, for all tokens; 0: none
  // The weight of the balance loss of training, the alpha of Fedus et al. 2021, equation 4: of E
  // experts, alpha E sum_e f_e P_e, where f_e is the share of tokens that e computes, and P_e its
  // mean probability. It is at its least when all experts have equal shares.
  float balance = 0.0f;
};

// With the probabilities p = softmax(W x) of a router, in f32, and T the `per_token` likeliest
// experts, of equal ones the first:
//   y = sum of p_e expert_e(x) over T, and, normalized, divided by the sum of p_e over T,
// plus sigmoid(v . x) shared(x) where all tokens share a network.
//
// Parameters router (W), experts.N with those of FeedForward, shared (the same) and shared_gate
// (v). A step computes the tokens of an expert together and adds up what a token gets in the order
// of the experts, so that its bits do not depend on other tokens.
class Experts final : public PositionWise {
 public:
  // Throws ConfigError for more experts per token than experts.
  Experts(ParameterSet& parameters, const std::string& path, const ExpertOptions& options);
  Variable forward(const Variable& x, Pass& pass) const override;

 private:
  // What each token gets from its experts.
  Variable routed(const Variable& x, Pass& pass) const;

  std::string path_;
  ExpertOptions options_;
  Parameter router_;       // [experts, d_model]
  Parameter shared_gate_;  // [1, d_model], or none
  std::vector<FeedForward> experts_;
  std::optional<FeedForward> shared_;
};

}  // namespace attend
