// Gated recurrent units (Cho et al. 2014), with PyTorch's equations, names and gate order (reset,
// update, new).
#pragma once

#include <string>

#include "attend/nn/parameters/parameters.h"
#include "attend/nn/pass.h"
#include "attend/nn/time_steps.h"

namespace attend {

class Gru {
 public:
  // Parameters weight_ih [3H, in], weight_hh [3H, H], bias_ih [3H], bias_hh [3H].
  Gru(ParameterSet& parameters, const std::string& path, std::int64_t in, std::int64_t hidden);

  std::int64_t hidden() const { return hidden_; }

  // A ragged batch x [N, in], processed from zero states in the direction of `steps` -> the state
  // after every token [N, H].
  Variable forward(const Variable& x, const TimeSteps& steps, const Pass& pass) const;

  // W_ih x + b_ih [R, 3H] for inputs x [R, in], for many steps at once or summed from parts of the
  // input.
  Variable project_input(const Variable& x, const Pass& pass) const;
  // One step: projected inputs [R, 3H] and states [R, H] -> the next states [R, H].
  Variable step(const Variable& projected, const Variable& state, const Pass& pass) const;

 private:
  std::int64_t hidden_;
  Parameter weight_ih_, weight_hh_, bias_ih_, bias_hh_;
};

// Two GRUs, `forward` and `backward`, which read each sequence from its start and from its end.
class BidirectionalGru {
 public:
  BidirectionalGru(ParameterSet& parameters, const std::string& path, std::int64_t in,
                   std::int64_t hidden);

  // x [N, in], offsets B+1 -> [N, 2H]: the state of the forward, then of the backward GRU, after
  // every token.
  Variable forward(const Variable& x, std::span<const std::int32_t> offsets,
                   const Pass& pass) const;

 private:
  Gru forward_;
  Gru backward_;
};

}  // namespace attend
