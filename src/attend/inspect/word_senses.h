// Does a word have another vector where it means something else? Its uses, labeled by their sense,
// as a model sees them layer by layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/data/classification.h"
#include "attend/plot/plot.h"
#include "attend/tasks/embedding/engine.h"

namespace attend {

// How far the senses of a word are apart in one kind of its vectors. Senses count alike, however
// many uses they have.
struct SenseSeparation {
  std::string vectors;  // "static embedding", "layer 2"
  double agreement;     // share of uses whose most similar other use (by the cosine) has the same
                        // sense; of ties, the share that has
  double within;        // mean cosine of two uses of one sense
  double between;       // mean cosine of two uses of different senses
};

struct WordSenses {
  std::vector<std::string> senses;
  std::vector<std::int64_t> uses;  // of each sense
  std::vector<SenseSeparation> separations;
  Plot plot;  // the uses in the plane that shows most of their variance, at one layer
};

// uses.texts hold the word (the first counts; see word_vector()); uses.classes are its senses.
// `plot_layer`: see EmbeddingOptions. Throws DataError for a text without the word, and unless
// every sense has two uses; ConfigError for a layer that the model does not have.
WordSenses measure_senses(const EmbeddingEngine& embedder, const LabeledText& uses,
                          const std::string& word, int plot_layer);

// The first two principal components (Pearson 1901) of N vectors of equal width: N points, of mean
// 0; the signs are such that the largest coordinate in each direction is positive.
std::vector<std::pair<double, double>> principal_plane(
    const std::vector<std::vector<float>>& vectors);

}  // namespace attend
