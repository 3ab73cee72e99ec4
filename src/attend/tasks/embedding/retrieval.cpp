#include "attend/tasks/embedding/retrieval.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "attend/backend/backend.h"
#include "attend/core/threads/parallel.h"
#include "attend/embedder.h"
#include "attend/models/text_embedder.h"

namespace attend {

namespace {

// Queries searched in one matrix product.
constexpr std::int64_t kQueriesAtOnce = 256;

Tensor rows_of(const Tensor& vectors, const std::vector<std::int32_t>& rows) {
  const Tensor result =
      Tensor::empty({static_cast<std::int64_t>(rows.size()), vectors.dim(1)}, vectors.dtype());
  backend()->gather_rows(vectors, rows, result);
  return result;
}

// Compares each query with each document [queries, documents]. Cosines are the products of vectors
// of length 1.
Tensor similarities_of(const Tensor& queries, const Tensor& documents, Similarity kind) {
  Tensor result = Tensor::empty({queries.dim(0), documents.dim(0)});
  if (kind == Similarity::cosine || kind == Similarity::dot) {
    backend()->matmul(queries, documents, {.transpose_b = true}, result);
    return result;
  }
  result = Tensor::empty_on_host(result.shape());
  const Tensor rows = queries.to_host(), columns = documents.to_host();
  const auto width = static_cast<std::size_t>(rows.cols());
  parallel_for(rows.rows(), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t q = begin; q < end; ++q)
      for (std::int64_t d = 0; d < columns.rows(); ++d)
        result.row(q)[d] = similarity(kind, {rows.row(q), width}, {columns.row(d), width});
  });
  return result;
}

// The ranks of a query's relevant texts, as RetrievalScores wants them. similarities [documents].
std::vector<std::int64_t> ranks_of(const Retrieval::Query& query, const float* similarities,
                                   const std::vector<std::int32_t>& documents) {
  std::vector<std::int32_t> order;  // places in `documents`
  for (std::int32_t i = 0; i < std::ssize(documents); ++i)
    if (documents[static_cast<std::size_t>(i)] != query.text) order.push_back(i);
  const auto ranks_higher = [similarities](std::int32_t a, std::int32_t b) {
    return similarities[a] != similarities[b] ? similarities[a] > similarities[b] : a < b;
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

RetrievalScores retrieval_scores(const Tensor& vectors, const Retrieval& retrieval,
                                 Similarity similarity) {
  const Tensor compared =
      similarity == Similarity::cosine ? unit_vectors(Variable(vectors)).value() : vectors;
  const Tensor documents = rows_of(compared, retrieval.documents);
  RetrievalScores scores;
  const std::span<const Retrieval::Query> all(retrieval.queries);
  for (std::size_t begin = 0; begin < all.size(); begin += kQueriesAtOnce) {
    const auto queries =
        all.subspan(begin, std::min<std::size_t>(kQueriesAtOnce, all.size() - begin));
    std::vector<std::int32_t> texts;
    for (const Retrieval::Query& query : queries) texts.push_back(query.text);
    const Tensor similarities =
        similarities_of(rows_of(compared, texts), documents, similarity).to_host();
    std::vector<std::vector<std::int64_t>> ranks(queries.size());
    parallel_for(std::ssize(queries), 1, [&](std::int64_t first, std::int64_t end) {
      for (std::int64_t q = first; q < end; ++q)
        ranks[static_cast<std::size_t>(q)] = ranks_of(queries[static_cast<std::size_t>(q)],
                                                      similarities.row(q), retrieval.documents);
    });
    for (std::size_t q = 0; q < queries.size(); ++q)
      scores.add(ranks[q], std::ssize(queries[q].relevant));
  }
  return scores;
}

double similarity_spearman(const Tensor& vectors, const ScoredTexts& scored, Similarity kind) {
  const Tensor rows = vectors.to_host();
  const auto row = [&](std::int32_t i) {
    return std::span<const float>(rows.row(i), static_cast<std::size_t>(rows.cols()));
  };
  std::vector<double> similarities, scores;
  for (const ScoredTexts::Pair& pair : scored.pairs) {
    similarities.push_back(similarity(kind, row(pair.first), row(pair.second)));
    scores.push_back(pair.score);
  }
  return spearman_correlation(similarities, scores);
}

}  // namespace attend
