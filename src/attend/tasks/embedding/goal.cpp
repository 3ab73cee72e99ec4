#include "attend/tasks/embedding/goal.h"

#include <algorithm>
#include <vector>

#include "attend/ops/elementwise.h"
#include "attend/ops/losses/target_losses.h"

namespace attend {

namespace {

std::vector<std::int32_t> token_counts(const Ragged& texts) {
  std::vector<std::int32_t> counts;
  for (std::int64_t i = 0; i < texts.sequences(); ++i) counts.push_back(texts.length(i));
  return counts;
}

}  // namespace

BatchSize RelatedGoal::size(std::int64_t epoch, std::int64_t batch) const {
  const TupleBatcher::Size size = batches_.size(epoch, batch);
  return {size.tuples, size.tokens};
}

ContrastiveResult RelatedGoal::loss(const TextEmbedder& network, std::int64_t epoch,
                                    std::int64_t index, Pass& pass) const {
  const TupleBatch batch = batches_.batch(epoch, index);
  return contrastive_loss(network.forward(batches_.tokens_of(batch), pass), batch, loss_);
}

VectorGoal::VectorGoal(Ragged tokens, std::shared_ptr<const TaughtTexts> taught, VectorLoss loss,
                       const BatchOptions& options, std::uint64_t seed)
    : tokens_(std::move(tokens)),
      taught_(std::move(taught)),
      loss_(loss),
      planner_(token_counts(tokens_), options, seed) {
  for (std::size_t i = 0; i < taught_->texts().size(); ++i)
    for (const float element : taught_->row(i))
      largest_error_ = std::max(largest_error_, double{element} * element);
}

BatchSize VectorGoal::size(std::int64_t epoch, std::int64_t batch) const {
  const auto plan = planner_.plan(epoch);
  BatchSize size;
  for (const std::int32_t i : (*plan)[batch]) {
    ++size.targets;
    size.sources += tokens_.length(i);
  }
  return size;
}

ContrastiveResult VectorGoal::loss(const TextEmbedder& network, std::int64_t epoch,
                                   std::int64_t index, Pass& pass) const {
  const auto plan = planner_.plan(epoch);
  RaggedBuilder texts;
  std::vector<float> wanted;
  for (const std::int32_t i : (*plan)[index]) {
    texts.add(tokens_[i]);
    const std::span<const float> row = taught_->row(static_cast<std::size_t>(i));
    wanted.insert(wanted.end(), row.begin(), row.end());
  }
  const Ragged batch = texts.build();
  const Variable sum =
      vector_loss(network.forward(batch, pass),
                  Tensor::from(wanted, {batch.sequences(), taught_->width()}), loss_);
  return {sum, DeviceScalar(sum.value())};
}

Variable vector_loss(const Variable& vectors, const Tensor& wanted, VectorLoss loss) {
  if (loss == VectorLoss::squared_error)
    return squared_error(vectors, wanted, static_cast<double>(wanted.dim(1))).loss;
  // |x - y|^2 / 2 = 1 - cosine of vectors of length 1
  const Variable units = unit_vectors(vectors);
  return squared_error(units, unit_vectors(Variable(wanted)).value(), 2.0).loss;
}

}  // namespace attend
