// A language model's memory of what it has read, within its context and far beyond: what was said
// is likelier to be said again
// ("continuous cache", Grave, Joulin and Usunier 2017). No training; attention over hidden states
// whose values are the tokens that followed them:
//
//   p(w) = (1 - weight) p_model(w) + weight p_cache(w),   p_cache(w) = sum over i with x_i = w of
//   softmax_i(beta h . h_i / sqrt(D))
//
// where h is the hidden state that w is predicted from, h_i the one that token x_i was, and i goes
// over the `tokens` tokens read last.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attend/core/options.h"
#include "attend/search.h"
#include "attend/tensor/ids.h"
#include "attend/tensor/tensor.h"

namespace attend {

template <class Visitor>
void fields(ContinuousCacheOptions& o, Visitor&& visit) {
  visit("cache-tokens", o.tokens, between(0, 1e7),
        experimental("continuous cache: recent tokens to keep, which become likelier in similar "
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

  // Reads a text on from where the last call ended: hidden [M, D], row m predicts targets[m] with
  // the model's log_probabilities[m]. Returns log p(targets[m]), for which the earlier targets are
  // in the cache. What a text gets does not depend on how it is cut into calls. Throws ShapeError.
  std::vector<float> read(const Tensor& hidden, std::span<const std::int32_t> targets,
                          std::span<const float> log_probabilities);

  // The same for a token that is not known yet: replaces the model's log_probabilities [1, V] after
  // hidden [1, D] by log p. remember() then tells which token it was. Throws ShapeError.
  void mix(const Tensor& hidden, const Tensor& log_probabilities) const;
  void remember(const Tensor& hidden, std::int32_t token);

  // One that goes on by itself.
  ContinuousCache clone() const;

 private:
  std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  void append(const Tensor& hidden, std::span<const std::int32_t> tokens);
  void mix(const Tensor& hidden, std::int64_t seen, const Ids& targets,
           const Tensor& log_probabilities) const;

  ContinuousCacheOptions options_;
  Tensor states_;  // [2 options_.tokens + a block, D], of which the first size() are used
  std::vector<std::int32_t> tokens_;  // that the states were followed by; more than
                                      // options_.tokens, so that rows seldom move
};

}  // namespace attend
