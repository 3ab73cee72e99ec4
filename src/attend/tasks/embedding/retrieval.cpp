#include "attend/tasks/embedding/retrieval.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "attend/backend/backend.h"
#include "attend/core/parallel.h"
#include "attend/embedder.h"
#include "attend/models/text_embedder.h"

namespace attend {

namespace {

// Queries searched in one matrix product.
constexpr std::int64_t kQueriesAtOnce = 256;

Tensor rows_of(const Tensor& vectors, const std::vector<std::int32_t>& rows) {
  const Tensor result =
      Tensor::empty({static_cast<std::int64_t>(rows.size()), vectors.dim(1)}, vectors.dtype());
  backend().gather_rows(vectors, rows, result);
  return result;
}

// The ranks of a query's relevant texts, as RetrievalScores wants them. cosines [documents].
std::vector<std::int64_t> ranks_of(const Retrieval::Query& query, const float* cosines,
                                   const std::vector<std::int32_t>& documents) {
  std::vector<std::int32_t> order;  // places in `documents`
  for (std::int32_t i = 0; i < std::ssize(documents); ++i)
    if (documents[static_cast<std::size_t>(i)] != query.text) order.push_back(i);
  const auto ranks_higher = [cosines](std::int32_t a, std::int32_t b) {
    return cosines[a] != cosines[b] ? cosines[a] > cosines[b] : a < b;
  };
  const auto is_relevant = [&](std::int32_t place) {
    return std::binary_search(query.relevant.begin(), query.relevant.end(),
                              documents[static_cast<std::size_t>(place)]);
  };
  const auto deep = std::min<std::ptrdiff_t>(RetrievalScores::kDepth, std::ssize(order));
  std::partial_sort(order.begin(), order.begin() + deep, order.end(), ranks_higher);
  std::vector<std::int64_t> ranks;
  for (std::ptrdiff_t i = 0; i < deep; ++i)
    if (is_relevant(order[static_cast<std::size_t>(i)])) ranks.push_back(i + 1);
  if (!ranks.empty()) return ranks;
  std::int32_t first = -1;
  for (const std::int32_t place : order)
    if (is_relevant(place) && (first < 0 || ranks_higher(place, first))) first = place;
  return {1 + std::count_if(order.begin(), order.end(),
                            [&](std::int32_t place) { return ranks_higher(place, first); })};
}

}  // namespace

Retrieval retrieval_of(const RelatedTexts& related) {
  std::map<std::int32_t, std::set<std::int32_t>> relevant;
  std::set<std::int32_t> documents;
  if (related.are_labeled()) {
    const std::vector<std::int32_t> first_equal = related.first_equal();
    std::map<std::int32_t, std::set<std::int32_t>> of_label;
    for (std::size_t i = 0; i < related.labels.size(); ++i)
      of_label[related.labels[i]].insert(first_equal[i]);
    for (const auto& [label, texts] : of_label) {
      for (const std::int32_t text : texts) relevant[text].insert(texts.begin(), texts.end());
      documents.insert(texts.begin(), texts.end());
    }
  }
  for (const TextTuple& tuple : related.tuples) {
    relevant[tuple.anchor].insert(tuple.positive);
    documents.insert(tuple.positive);
    if (tuple.negative >= 0) documents.insert(tuple.negative);
  }
  Retrieval result;
  for (auto& [text, found] : relevant) {
    found.erase(text);
    if (!found.empty()) result.queries.push_back({text, {found.begin(), found.end()}});
  }
  result.documents.assign(documents.begin(), documents.end());
  return result;
}

RetrievalScores retrieval_scores(const Tensor& vectors, const Retrieval& retrieval) {
  const Tensor units = unit_vectors(Variable(vectors)).value();
  const Tensor documents = rows_of(units, retrieval.documents);
  RetrievalScores scores;
  const std::span<const Retrieval::Query> all(retrieval.queries);
  for (std::size_t begin = 0; begin < all.size(); begin += kQueriesAtOnce) {
    const auto queries =
        all.subspan(begin, std::min<std::size_t>(kQueriesAtOnce, all.size() - begin));
    std::vector<std::int32_t> texts;
    for (const Retrieval::Query& query : queries) texts.push_back(query.text);
    const Tensor product = Tensor::empty({std::ssize(queries), documents.dim(0)});
    backend().matmul(rows_of(units, texts), documents, {.transpose_b = true}, product);
    const Tensor cosines = product.to_host();
    std::vector<std::vector<std::int64_t>> ranks(queries.size());
    parallel_for(std::ssize(queries), 1, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t q = first; q < end; ++q)
        ranks[static_cast<std::size_t>(q)] =
            ranks_of(queries[static_cast<std::size_t>(q)], cosines.row(q), retrieval.documents);
    });
    for (std::size_t q = 0; q < queries.size(); ++q)
      scores.add(ranks[q], std::ssize(queries[q].relevant));
  }
  return scores;
}

double cosine_spearman(const Tensor& vectors, const ScoredTexts& scored) {
  const Tensor rows = vectors.to_host();
  const auto row = [&](std::int32_t i) {
    return std::span<const float>(rows.row(i), static_cast<std::size_t>(rows.cols()));
  };
  std::vector<double> cosines, scores;
  for (const ScoredTexts::Pair& pair : scored.pairs) {
    cosines.push_back(cosine_similarity(row(pair.first), row(pair.second)));
    scores.push_back(pair.score);
  }
  return spearman_correlation(cosines, scores);
}

}  // namespace attend
