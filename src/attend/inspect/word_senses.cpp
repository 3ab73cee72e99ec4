#include "attend/inspect/word_senses.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "attend/core/quote.h"
#include "attend/error.h"
#include "attend/inspect/word_vector.h"

namespace attend {

namespace {

using Vectors = std::vector<std::vector<float>>;

constexpr float kTie = 1e-6f;  // cosines closer than rounding error
constexpr int kIterations = 200;

Vectors vectors_of(const std::vector<TextEmbedding>& embeddings, const LabeledText& uses,
                   const std::string& word) {
  Vectors vectors;
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    vectors.push_back(word_vector(embeddings[i], bare_word(word)));
    if (vectors.back().empty())
      throw DataError(fmt::format("use {} of {} does not contain the word: {}", i + 1, quote(word),
                                  quote(uses.texts[i])));
  }
  return vectors;
}

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

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t d = 0; d < a.size(); ++d) sum += a[d] * b[d];
  return sum;
}

// The first principal direction, by power iteration; zero if there is none.
std::vector<double> main_direction(const std::vector<std::vector<double>>& rows) {
  const std::size_t width = rows.front().size();
  std::vector<double> direction(width);
  // The longest row has a component in every relevant direction.
  const auto longest = std::max_element(
      rows.begin(), rows.end(), [](const auto& a, const auto& b) { return dot(a, a) < dot(b, b); });
  direction = *longest;
  for (int i = 0; i < kIterations; ++i) {
    std::vector<double> next(width, 0.0);
    for (const auto& row : rows) {
      const double share = dot(row, direction);
      for (std::size_t d = 0; d < width; ++d) next[d] += share * row[d];
    }
    const double length = std::sqrt(dot(next, next));
    if (length < 1e-12) return std::vector<double>(width, 0.0);
    for (std::size_t d = 0; d < width; ++d) direction[d] = next[d] / length;
  }
  return direction;
}

// The coordinates of all rows in the first principal direction, which is then removed from them.
std::vector<double> take_component(std::vector<std::vector<double>>& rows) {
  const std::vector<double> direction = main_direction(rows);
  std::vector<double> coordinates;
  for (auto& row : rows) {
    coordinates.push_back(dot(row, direction));
    for (std::size_t d = 0; d < row.size(); ++d) row[d] -= coordinates.back() * direction[d];
  }
  const auto farthest =
      std::max_element(coordinates.begin(), coordinates.end(),
                       [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  if (farthest != coordinates.end() && *farthest < 0) {
    for (double& c : coordinates) c = -c;
  }
  return coordinates;
}

}  // namespace

std::vector<std::pair<double, double>> principal_plane(
    const std::vector<std::vector<float>>& vectors) {
  if (vectors.empty()) return {};
  std::vector<double> mean(vectors.front().size(), 0.0);
  for (const auto& vector : vectors) {
    for (std::size_t d = 0; d < mean.size(); ++d)
      mean[d] += vector[d] / static_cast<double>(vectors.size());
  }
  std::vector<std::vector<double>> rows;
  for (const auto& vector : vectors) {
    rows.emplace_back(vector.begin(), vector.end());
    for (std::size_t d = 0; d < mean.size(); ++d) rows.back()[d] -= mean[d];
  }
  const std::vector<double> x = take_component(rows), y = take_component(rows);
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < x.size(); ++i) points.emplace_back(x[i], y[i]);
  return points;
}

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
      separation("static embedding", vectors_of(without, uses, word), uses));
  for (int layer = 0; layer <= embedder.layers(); ++layer) {
    EmbeddingOptions options;
    options.layer = layer;
    options.pooling = EmbeddingPooling::none;
    const Vectors vectors = vectors_of(embedder.embed(uses.texts, options), uses, word);
    result.separations.push_back(separation(fmt::format("layer {}", layer), vectors, uses));
    if (layer == shown) result.plot = plot_of(vectors, uses, word, layer);
  }
  return result;
}

}  // namespace attend
