// A continuous cache for language models (Grave, Joulin and Usunier 2017), which reaches far beyond
// the context: recent words become more likely. It needs no training. It is attention over past
// hidden states whose values are the tokens that followed them:
//
//   p(w) = (1 - weight) p_model(w) + weight p_cache(w)
//   p_cache(w) = sum over i with x_i = w of softmax_i(beta h . h_i / sqrt(D))
//
// where h is the hidden state that predicts w, h_i the one that predicted token x_i, and i ranges
// over the last `tokens` tokens.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/search.h"
#include "attend/tensor/ids.h"
#include "attend/tensor/tensor.h"

namespace attend {

template <class Visitor>
void fields(ContinuousCacheOptions& o, Visitor&& visit) {
  visit("cache-tokens", o.tokens, between(0, 1e7),
        experimental("continuous cache: recent tokens to keep, which become more likely in similar "
                     "contexts; 0: no cache"));
  visit(
      "cache-weight", o.weight, below_one(),
      experimental("weight of the continuous cache in the mixture with the model's distribution"));
  visit("cache-beta", o.beta, between(0, 1e4),
        experimental("sharpness of the continuous cache: beta in softmax(beta h h' / "
                     "sqrt(d-model)) over hidden states h"));
}

class ContinuousCache {
 public:
  // `width`: D. Throws ConfigError. Precondition: options.used().
  ContinuousCache(const ContinuousCacheOptions& options, std::int64_t width);

  // Continues a text after the last call: row m of hidden [M, D] predicts targets[m] with the
  // model's log_probabilities[m]. Returns log p(targets[m]); earlier targets are in the cache.
  // Results do not depend on how a text is split into calls. Throws ShapeError.
  std::vector<float> read(const Tensor& hidden, std::span<const std::int32_t> targets,
                          std::span<const float> log_probabilities);

  // The same for an unknown token: replaces the model's log_probabilities [1, V] for hidden [1, D]
  // by log p. remember() then adds the chosen token. Throws ShapeError.
  void mix(const Tensor& hidden, const Tensor& log_probabilities) const;
  void remember(const Tensor& hidden, std::int32_t token);

  // An independent copy.
  ContinuousCache clone() const;

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  void append(const Tensor& hidden, std::span<const std::int32_t> tokens);
  void mix(const Tensor& hidden, std::int64_t seen, const Ids& targets,
           const Tensor& log_probabilities) const;

  ContinuousCacheOptions options_;
  Tensor states_;                     // [2 options_.tokens + a block, D]; the first size() are used
  std::vector<std::int32_t> tokens_;  // tokens that followed the states; more than options_.tokens,
                                      // so that rows are seldom moved
};

}  // namespace attend
