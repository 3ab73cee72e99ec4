#include "attend/tasks/embedding/objective.h"

#include <utility>

#include "attend/backend/backend.h"
#include "attend/checkpoint/finite.h"
#include "attend/ops/elementwise.h"

namespace attend {

EmbeddingObjective::EmbeddingObjective(EmbeddingModel model, std::unique_ptr<EmbeddingGoal> goal,
                                       EmbeddingValidation validation)
    : model_(std::move(model)), goal_(std::move(goal)), validation_(std::move(validation)) {}

BatchLoss EmbeddingObjective::loss(std::int64_t epoch, std::int64_t index, double normalizer,
                                   Pass& pass) {
  const ContrastiveResult result = goal_->loss(*model_.network, epoch, index, pass);
  return {scale(result.sum, static_cast<float>(1 / normalizer)), DeviceScalar(result.sum.value()),
          result.nll};
}

Tensor EmbeddingObjective::vectors_of(const Ragged& texts) const {
  Tensor result;
  for (std::int64_t begin = 0, end = 0; begin < texts.sequences(); begin = end) {
    std::int64_t tokens = 0;
    while (end < texts.sequences() &&
           (end == begin || tokens + texts.length(end) <= validation_.batch_tokens))
      tokens += texts.length(end++);
    Pass pass = Pass::inference();
    const Tensor part = model_.network->forward(texts.slice(begin, end), pass).value();
    if (!result.defined()) result = Tensor::empty({texts.sequences(), part.dim(1)});
    result.slice_rows(begin, end).copy_from(part);
  }
  require_finite(result.to_host().span(), "the vector of a text", model_.source);
  return result;
}

void EmbeddingObjective::add_retrieval(Validation& result) const {
  const auto& [batches, retrieval, loss] = *validation_.related;
  const Tensor vectors = vectors_of(batches.texts());
  for (std::int64_t i = 0; i < batches.batches(0); ++i) {
    const TupleBatch batch = batches.batch(0, i);
    const Tensor rows = Tensor::empty({std::ssize(batch.texts), vectors.dim(1)});
    backend()->gather_rows(vectors, batch.texts, rows);
    const ContrastiveResult part = contrastive_loss(Variable(rows), batch, loss);
    result.loss += DeviceScalar(part.sum.value());
    result.nll += part.nll;
  }
  const auto tuples = static_cast<double>(batches.tuples());
  result.loss /= tuples;
  result.nll /= tuples;
  const RetrievalScores scores = retrieval_scores(vectors, retrieval);
  result.metrics = {{"recall_at_1", scores.recall_at(1)},
                    {"recall_at_10", scores.recall_at(10)},
                    {"mrr", scores.mrr()},
                    {"ndcg_at_10", scores.ndcg()}};
}

Validation EmbeddingObjective::validate() {
  const NoGradient guard;
  Validation result;
  if (validation_.related) add_retrieval(result);
  if (validation_.scored) {
    const double spearman =
        similarity_spearman(vectors_of(validation_.scored->texts), validation_.scored->pairs);
    result.metrics.emplace_back("spearman", spearman);
    if (!validation_.related) result.loss = result.nll = 1 - spearman;
  }
  switch (validation_.best_by) {
    case EmbeddingScore::recall:
      result.score = result.metrics[0].second;
      break;
    case EmbeddingScore::mrr:
      result.score = result.metrics[2].second;
      break;
    case EmbeddingScore::spearman:
      result.score = result.metrics.back().second;
      break;
    case EmbeddingScore::loss:
      result.score = -result.loss;
      break;
    case EmbeddingScore::by_data:
    case EmbeddingScore::ndcg:
      result.score = validation_.related ? result.metrics[3].second : result.metrics[0].second;
      break;
  }
  return result;
}

}  // namespace attend
