// How well vectors of texts find the texts that belong together, by their similarity.
#pragma once

#include <cstdint>
#include <vector>

#include "attend/data/related_texts.h"
#include "attend/embedder.h"
#include "attend/metrics.h"
#include "attend/tensor/tensor.h"

namespace attend {

// What is to be found, by numbers of texts.
struct Retrieval {
  struct Query {
    std::int32_t text = 0;
    std::vector<std::int32_t> relevant;  // ascending, without the text itself
  };
  std::vector<Query> queries;
  std::vector<std::int32_t> documents;  // ascending: what is searched
};

// In pairs and triplets, every anchor finds its positives among all positives and negatives. In
// labeled texts, every text finds the others that share a label with it among all texts, if there
// are any. A text that occurs with several labels is one text; its number is that of the first.
Retrieval retrieval_of(const RelatedTexts& related);

// vectors [T, D] of all texts. No text is an answer to itself; of equal similarities, the first
// text ranks higher.
RetrievalScores retrieval_scores(const Tensor& vectors, const Retrieval& retrieval,
                                 Similarity similarity = Similarity::cosine);

// Spearman's correlation of the similarities of the pairs with their scores. vectors [T, D] of all
// texts.
double similarity_spearman(const Tensor& vectors, const ScoredTexts& scored,
                           Similarity kind = Similarity::cosine);

}  // namespace attend
