#include "attend/tasks/embedding/contrastive_loss.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "attend/models/text_embedder.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"
#include "attend/ops/losses/cross_entropy.h"
#include "attend/ops/slices.h"

namespace attend {

namespace {

// Added to the cosine, it leaves a candidate out.
constexpr float kLeftOut = -1e9f;

// [rows, columns]: what is added to similarities; undefined if nothing is. `at` tells the place of
// an element in batch.ignored.
template <class Place>
Tensor mask_of(const TupleBatch& batch, std::int64_t rows, std::int64_t columns, const Place& at) {
  if (batch.ignored.empty()) return {};
  std::vector<float> mask(static_cast<std::size_t>(rows * columns));
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      if (batch.ignored[static_cast<std::size_t>(at(i, j))] != 0)
        mask[static_cast<std::size_t>(i * columns + j)] = kLeftOut;
  return Tensor::from(mask, {rows, columns});
}

// Row i of `from` should find row i of `among`.
CrossEntropy search_loss(const Variable& from, const Variable& among, const Tensor& mask,
                         float temperature) {
  Variable scores = scale(matmul(from, among, /*transpose_b=*/true), 1 / temperature);
  if (mask.defined()) scores = add(scores, Variable(mask));
  std::vector<std::int32_t> targets(static_cast<std::size_t>(from.dim(0)));
  std::iota(targets.begin(), targets.end(), 0);
  return cross_entropy(scores, std::move(targets), {.normalizer = 1.0});
}

}  // namespace

ContrastiveResult contrastive_loss(const Variable& vectors, const TupleBatch& batch,
                                   const ContrastiveLoss& loss) {
  const std::int64_t tuples = batch.tuples, candidates = batch.candidates();
  const Tensor mask =
      mask_of(batch, tuples, candidates,
              [candidates](std::int64_t i, std::int64_t j) { return i * candidates + j; });
  const Tensor reverse =
      loss.symmetric
          ? mask_of(batch, tuples, tuples,
                    [candidates](std::int64_t i, std::int64_t j) { return j * candidates + i; })
          : Tensor();
  ContrastiveResult result;
  const auto add_width = [&](std::int64_t width) {
    const Variable units = unit_vectors(slice_columns(vectors, 0, width));
    const Variable anchors = slice_rows(units, 0, tuples);
    const CrossEntropy found = search_loss(anchors, slice_rows(units, tuples, tuples + candidates),
                                           mask, loss.temperature);
    Variable part = found.loss;
    if (loss.symmetric) {
      const Variable positives = slice_rows(units, tuples, 2 * tuples);
      part =
          scale(add(part, search_loss(positives, anchors, reverse, loss.temperature).loss), 0.5f);
    }
    if (!result.sum.defined()) result.nll = found.nll;
    result.sum = result.sum.defined() ? add(result.sum, part) : part;
  };
  add_width(vectors.dim(1));
  for (const std::int64_t width : loss.widths) add_width(width);
  return result;
}

}  // namespace attend
