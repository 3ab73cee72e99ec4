// What losses of an output projection share. Their logits [N, V] would fill the memory, so they are
// computed, used and overwritten in blocks of rows. Private to ops.
#pragma once

#include "attend/backend/backend.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/row_blocks.h"

namespace attend::detail {

// 1 / normalizer, or without one 1 / rows: the factor between the sum of the losses and the loss.
float loss_scale(double normalizer, std::int64_t rows);

// Calls use(logits, begin, end) with memory for logits [end - begin, columns] of a block of rows.
template <class Use>
void for_logit_blocks(std::int64_t rows, std::int64_t columns, const Use& use) {
  const std::int64_t size = backend()->block_sizes().loss_rows;
  const Tensor logits = Tensor::empty({std::min(size, rows), columns});
  for_row_blocks(rows, size, [&](std::int64_t begin, std::int64_t end) {
    use(logits.slice_rows(0, end - begin), begin, end);
  });
}

// logits = x W^T + b for one block of rows after the other, with the gradients of W and b that are
// required.
class BlockwiseProjection {
 public:
  // The precision is that of all products.
  BlockwiseProjection(const AffineMap& map, Precision precision, bool recording);

  void forward(const Tensor& x, const Tensor& logits) const;
  // dW += dlogits^T x,  db += sum_n dlogits[n],  dx = dlogits W, which may take the place of x.
  void backward(const Tensor& dlogits, const Tensor& x, const Tensor& dx);

  const Tensor& dweight() const { return dweight_; }
  const Tensor& dbias() const { return dbias_; }

 private:
  Tensor weight_, bias_;
  Precision precision_;
  Tensor dweight_, dbias_;  // undefined: not required
  float beta_ = 0.0f;       // of the next block's gradients
};

// cap tanh(logits / cap) in place of the logits of a block; a cap of 0 changes nothing.
class LogitCap {
 public:
  // `rows` of a block at most, of which gradients are needed if `recording`.
  LogitCap(float cap, std::int64_t rows, std::int64_t columns, bool recording);

  void forward(const Tensor& logits) const;
  // Gradients of capped logits become those of the logits, whose forward() was the last.
  void backward(const Tensor& dlogits) const;

 private:
  float cap_;
  Tensor scaled_;  // logits / cap, or undefined
};

// The gradient of an input for a loss gradient of 1. Gradients are linear in the loss gradient,
// which is known only later, so they are computed with the loss, while the logits exist.
struct InputGradient {
  const Variable& input;
  Tensor gradient;
  Ids rows = {};  // if defined, gradient[i] is part of that of row rows[i] of the input
};

struct RowLosses {
  Tensor losses, nll;  // [N]
  float scale;         // the loss is scale * sum(losses)

  // Gradients may be undefined if nothing is recorded.
  CrossEntropy recorded(std::initializer_list<InputGradient> gradients) const;
};

}  // namespace attend::detail
