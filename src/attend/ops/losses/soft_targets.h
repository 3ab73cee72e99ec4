// Soft targets (Hinton et al. 2015) of few classes each: the most likely ones of another model (Tan
// et al. 2019).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "attend/tensor/ids.h"
#include "attend/tensor/tensor.h"

namespace attend {

// With the distribution Q of the shares of k classes and the prediction P, the loss of a target t
// is
//   (1-w) CE + w KL(Q || P)  =  CE' + w (z[t] - sum_j q[j] z[j] + sum_j q[j] log q[j])
// where CE' has the label smoothing (1-w) s instead of s, as log P[j] is the logit z[j] minus the
// same number for all j: what soft targets add is linear in the logits, at 2 k operations a target.
class SoftTargets {
 public:
  SoftTargets() = default;  // none
  // classes and shares: k for each of N targets, row by row, the shares divided by their sum in
  // each row. Throws ShapeError unless there are as many of both, in rows of k; ConfigError for a
  // weight outside [0, 1].
  SoftTargets(std::vector<std::int32_t> classes, std::span<const float> shares, std::int64_t k,
              float weight);

  bool used() const { return weight_ > 0.0f; }
  std::int64_t size() const { return used() ? constants_.dim(0) : 0; }  // N
  // s of CE', for that of CE.
  float smoothing(float of_loss) const { return (1.0f - weight_) * of_loss; }

  // Throws ShapeError, which names the op, unless there is one of `classes` classes for each
  // target.
  void check(std::string_view op, std::int64_t targets, std::int64_t classes) const;
  // With the classes of these targets, for the following functions.
  SoftTargets beside(std::span<const std::int32_t> targets) const;
  // w (z[t] - sum_j q[j] z[j]) in the logits [end - begin, V] of a block: [end - begin, 1].
  Tensor linear_part(const Tensor& logits, std::int64_t begin, std::int64_t end) const;
  // losses [end - begin] += share * (the linear part + w sum_j q[j] log q[j]).
  void add_to_losses(const Tensor& linear_part, std::int64_t begin, std::int64_t end, float share,
                     const Tensor& losses) const;
  // dlogits [end - begin, V] += scale * the gradient of the linear part.
  void add_to_gradient(const Tensor& dlogits, std::int64_t begin, std::int64_t end,
                       float scale) const;

 private:
  float weight_ = 0.0f;
  std::int64_t k_ = 0;
  std::vector<std::int32_t> classes_ = {};  // N k
  Ids columns_ = {};                        // N (k + 1): the classes and the target
  Tensor factors_ = {};                     // [N, k + 1]: -w q and w
  Tensor constants_ = {};                   // [N]: w sum_j q[j] log q[j]
};

}  // namespace attend
