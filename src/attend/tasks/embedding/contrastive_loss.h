// The loss of texts that belong together: each anchor finds its positive among all candidates of
// the batch, by a softmax over cosines (van den Oord et al. 2018, "InfoNCE"; Henderson et al.
// 2017). Composed of ops.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/autograd/variable.h"
#include "attend/data/batching/tuple_batcher.h"
#include "attend/tensor/device_scalar.h"

namespace attend {

struct ContrastiveLoss {
  float temperature = 0.05f;  // divides the cosines
  // The mean with the loss of the reverse search, from the positives to the anchors.
  bool symmetric = false;
  // Further widths: the first numbers of a vector count as a vector of their own, and the losses
  // are added (Kusupati et al. 2022, "Matryoshka representation learning").
  std::vector<std::int64_t> widths = {};
};

struct ContrastiveResult {
  Variable sum;      // [1], over the tuples
  DeviceScalar nll;  // of the positives among the candidates, by the whole vectors; summed
};

// vectors [B + C, D] of the texts of `batch`, of any length. Throws ShapeError, also for a width
// beyond D.
ContrastiveResult contrastive_loss(const Variable& vectors, const TupleBatch& batch,
                                   const ContrastiveLoss& loss);

}  // namespace attend
