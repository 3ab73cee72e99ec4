// The simple recurrent unit of fast decoders (SSRU; Kim et al. 2019, "From Research to Production
// and Back: Ludicrously Fast Neural Machine Translation"), in place of self-attention:
//   f_t = sigma(W_f x_t + b_f),  c_t = f_t c_{t-1} + (1 - f_t) W x_t,  y_t = max(c_t, 0)
#pragma once

#include <string>

#include "attend/nn/attention/sequence_mixing.h"
#include "attend/nn/layers.h"

namespace attend {

// A new position reads one state [D], whatever the length of the text before it.
class SimpleRecurrentUnit final : public SequenceMixing {
 public:
  // Parameters value.weight [D, D], gate.weight [D, D], gate.bias [D].
  SimpleRecurrentUnit(ParameterSet& parameters, const std::string& path, std::int64_t width);

  const std::string& path() const override { return path_; }
  Variable self(const SelfAttentionInput& x, const AttentionLayout& layout, const Ids& positions,
                Pass& pass) const override;
  Variable self_cached(const SelfAttentionInput& x, KVCache& cache, int layer) const override;

 private:
  // The states after every token of x.
  Variable states(const Variable& x, const Ids& offsets, const Tensor& before,
                  const Pass& pass) const;

  std::string path_;
  Linear value_;
  Linear gate_;
};

}  // namespace attend
