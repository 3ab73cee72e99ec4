#include "attend/inspect/words/word_uses.h"

#include <cmath>
#include <utility>

#include "attend/inspect/words/principal_plane.h"
#include "attend/inspect/words/word_vector.h"

namespace attend {

namespace {

using WordVectors = std::vector<std::vector<float>>;

// The sum of the squared distances from the mean; 0 for vectors that differ by rounding alone.
double variation(const WordVectors& vectors) {
  constexpr double kRounding = 1e-12;  // as a share of the squared lengths
  double sum = 0, lengths = 0;
  for (std::size_t d = 0; d < vectors.front().size(); ++d) {
    double mean = 0;
    for (const std::vector<float>& vector : vectors)
      mean += double{vector[d]} / static_cast<double>(vectors.size());
    for (const std::vector<float>& vector : vectors) {
      sum += (double{vector[d]} - mean) * (double{vector[d]} - mean);
      lengths += double{vector[d]} * double{vector[d]};
    }
  }
  return sum > kRounding * lengths ? sum : 0;
}

void find_nearest(std::size_t own, const WordVectors& vectors, WordUse& use) {
  for (std::size_t other = 0; other < vectors.size(); ++other) {
    if (other == own) continue;
    const float similarity = cosine_similarity(vectors[own], vectors[other]);
    if (use.nearest >= 0 && similarity <= use.similarity) continue;
    use.nearest = static_cast<int>(other);
    use.similarity = similarity;
  }
}

}  // namespace

WordUses word_uses(const EmbeddingEngine& embedder, std::span<const std::string> texts,
                   const std::string& word, int layer) {
  WordUses result{.layer = embedder.layer_number(layer), .uses = {}};
  if (texts.empty()) return result;
  EmbeddingOptions options;
  options.layer = layer;
  options.pooling = EmbeddingPooling::none;
  const WordVectors vectors = word_vectors(embedder.embed(texts, options), texts, word);
  const auto points = principal_plane(vectors);
  double shown = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto [x, y] = points[i];
    WordUse use{.text = texts[i], .x = x, .y = y};
    find_nearest(i, vectors, use);
    shown += x * x + y * y;
    result.uses.push_back(std::move(use));
  }
  if (const double all = variation(vectors); all > 0) result.shown_variance = shown / all;
  return result;
}

}  // namespace attend
