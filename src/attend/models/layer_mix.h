// A mix of the layers of an encoder (Peters et al. 2018, "Deep contextualized word
// representations"): the vector of a token is a weighted sum of those that the embeddings and every
// layer give it,
//   y = gamma * sum_k s_k h_k,   s = softmax(w) or sparsemax(w) (Martins & Astudillo 2016),
// with learned w and gamma. Or it is that of one layer.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/models/stack/stack_config.h"
#include "attend/nn/parameters/parameters.h"

namespace attend {

enum class LayerWeights { none, softmax, sparsemax };
inline std::span<const std::string_view> enum_names(LayerWeights) {
  static constexpr std::array<std::string_view, 3> kNames{"none", "softmax", "sparsemax"};
  return kNames;
}

struct LayerMixOptions {
  LayerWeights weights = LayerWeights::none;  // none: one layer
  bool norm = false;
  int layer = -1;  // the one, 0 the embeddings; -1: the last
};

template <class Visitor>
void layer_mix_fields(LayerMixOptions& o, Visitor&& visit) {
  visit("layer-mix", o.weights,
        "the vectors of tokens are a weighted sum of those of all layers, with weights from "
        "softmax or sparsemax; none: those of one layer");
  visit("layer-mix-norm", o.norm,
        "center and scale the vectors of all tokens of a text together, in each layer, before they "
        "are mixed");
  visit("output-layer", o.layer, between(-1, kLayerCounts.most),
        "the layer whose vectors are used without a layer mix; 0: the embeddings, -1: the last");
}

// softmax(w), or the sparsemax: the nearest w' >= 0 whose sum is 1, which may have zeros. w is not
// empty.
std::vector<double> layer_shares(LayerWeights weights, std::span<const float> w);

class LayerMix {
 public:
  // Parameters layer_mix.weights.K [1] for the embeddings and each of `layers` layers, and
  // layer_mix.gamma [1]; none for one layer. Throws ConfigError for a layer that does not exist, or
  // a norm without a mix.
  LayerMix(ParameterSet& parameters, int layers, const LayerMixOptions& options);

  // The vectors of the embeddings and of every layer, each [N, D], of the sequences of `offsets` ->
  // [N, D]. For inference: without gradients.
  Tensor forward(const std::vector<Tensor>& layers, const Ids& offsets) const;

 private:
  std::vector<float> factors() const;  // gamma * s_k

  LayerMixOptions options_;
  int layer_;
  std::vector<Parameter> weights_;
  Parameter gamma_;
};

}  // namespace attend
