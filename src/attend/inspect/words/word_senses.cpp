#include "attend/inspect/words/word_senses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/inspect/words/principal_plane.h"
#include "attend/inspect/words/word_vector.h"

namespace attend {

namespace {

using Vectors = std::vector<std::vector<float>>;

constexpr float kTie = 1e-6f;  // cosines closer than rounding error

// Averages over the uses of each sense, then over the senses.
class MeanOfSenses {
 public:
  explicit MeanOfSenses(std::size_t senses) : sum_(senses, 0.0), count_(senses, 0.0) {}
  void add(std::int32_t sense, double value) {
    sum_[static_cast<std::size_t>(sense)] += value;
    count_[static_cast<std::size_t>(sense)] += 1;
  }
  double mean() const {
    double total = 0;
    for (std::size_t s = 0; s < sum_.size(); ++s) total += sum_[s] / count_[s];
    return total / static_cast<double>(sum_.size());
  }

 private:
  std::vector<double> sum_, count_;
};

SenseSeparation separation(std::string name, const Vectors& vectors, const LabeledText& uses) {
  MeanOfSenses agreement(uses.classes.size()), within(uses.classes.size()),
      between(uses.classes.size());
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const std::int32_t own = uses.labels[i];
    float best = -2.0f;
    std::int64_t nearest = 0, agreeing = 0;
    for (std::size_t j = 0; j < vectors.size(); ++j) {
      if (i == j) continue;
      const float similarity = cosine_similarity(vectors[i], vectors[j]);
      const bool same = uses.labels[j] == own;
      (same ? within : between).add(own, similarity);
      if (similarity > best + kTie) nearest = agreeing = 0;
      if (similarity >= best - kTie) ++nearest, agreeing += same;
      best = std::max(best, similarity);
    }
    agreement.add(own, static_cast<double>(agreeing) / static_cast<double>(nearest));
  }
  return {std::move(name), agreement.mean(), within.mean(), between.mean()};
}

Plot plot_of(const Vectors& vectors, const LabeledText& uses, const std::string& word, int layer) {
  Plot plot{"senses",
            fmt::format("\"{}\" at layer {}: a point for every use", word, layer),
            {"first principal component"},
            {"second principal component"},
            {}};
  plot.joined = false;
  for (const std::string& sense : uses.classes) plot.series.push_back({sense, {}});
  const auto points = principal_plane(vectors);
  for (std::size_t i = 0; i < points.size(); ++i)
    plot.series[static_cast<std::size_t>(uses.labels[i])].points.push_back(points[i]);
  return plot;
}

}  // namespace

WordSenses measure_senses(const EmbeddingEngine& embedder, const LabeledText& uses,
                          const std::string& word, int plot_layer) {
  WordSenses result{uses.classes, std::vector<std::int64_t>(uses.classes.size(), 0), {}, {}};
  for (const std::int32_t sense : uses.labels) ++result.uses[static_cast<std::size_t>(sense)];
  for (std::size_t s = 0; s < uses.classes.size(); ++s) {
    if (result.uses[s] < 2)
      throw DataError(fmt::format("sense {}: expected at least two uses of {}, got one",
                                  quote(uses.classes[s]), quote(word)));
  }
  const int shown = embedder.layer_number(plot_layer);
  const auto without = embedder.embed_without_context(uses.texts, EmbeddingPooling::none);
  result.separations.push_back(
      separation("static embedding", word_vectors(without, uses.texts, word), uses));
  for (int layer = 0; layer <= embedder.layers(); ++layer) {
    EmbeddingOptions options;
    options.layer = layer;
    options.pooling = EmbeddingPooling::none;
    const Vectors vectors = word_vectors(embedder.embed(uses.texts, options), uses.texts, word);
    result.separations.push_back(separation(fmt::format("layer {}", layer), vectors, uses));
    if (layer == shown) result.plot = plot_of(vectors, uses, word, layer);
  }
  return result;
}

}  // namespace attend
