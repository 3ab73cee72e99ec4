#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/error.h"
#include "attend/metrics.h"

namespace attend {
namespace {

double gain_at(std::int64_t rank) { return 1 / std::log2(static_cast<double>(rank) + 1); }

}  // namespace

void RetrievalScores::add(std::span<const std::int64_t> ranks, std::int64_t relevant) {
  if (ranks.empty() || ranks.front() < 1)
    throw ConfigError("expected the rank of a relevant text, from 1");
  ++queries_;
  reciprocal_ranks_ += 1 / static_cast<double>(ranks.front());
  double gain = 0, best = 0;
  for (const std::int64_t rank : ranks) {
    if (rank > kDepth) break;
    gain += gain_at(rank);
    for (std::int64_t k = rank; k <= kDepth; ++k)
      recall_[static_cast<std::size_t>(k - 1)] += 1 / static_cast<double>(relevant);
  }
  for (std::int64_t rank = 1; rank <= std::min<std::int64_t>(relevant, kDepth); ++rank)
    best += gain_at(rank);
  gains_ += gain / best;
}

double RetrievalScores::mean(double sum) const {
  return queries_ == 0 ? 0 : sum / static_cast<double>(queries_);
}

double RetrievalScores::recall_at(int k) const {
  if (k < 1 || k > kDepth)
    throw ConfigError(fmt::format("recall: expected 1 to {} answers, got {}", kDepth, k));
  return mean(recall_[static_cast<std::size_t>(k - 1)]);
}

double RetrievalScores::mrr() const { return mean(reciprocal_ranks_); }
double RetrievalScores::ndcg() const { return mean(gains_); }

std::string RetrievalScores::table() const {
  return fmt::format(
      "queries    {}\n"
      "recall@1   {:.4f}\n"
      "recall@5   {:.4f}\n"
      "recall@10  {:.4f}\n"
      "MRR        {:.4f}\n"
      "nDCG@10    {:.4f}\n",
      queries_, recall_at(1), recall_at(5), recall_at(10), mrr(), ndcg());
}

}  // namespace attend
