// Measures whether a word's vectors differ by sense, from labeled uses, layer by layer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/data/classification.h"
#include "attend/plot/plot.h"
#include "attend/tasks/embedding/engine.h"

namespace attend {

// The separation of a word's senses in one kind of vectors. Senses count equally, whatever their
// number of uses.
struct SenseSeparation {
  std::string vectors;  // "static embedding", "layer 2"
  double agreement;  // share of uses whose most similar other use (by cosine) has the same sense;
                     // ties count by share
  double within;     // mean cosine of two uses of one sense
  double between;    // mean cosine of two uses of different senses
};

struct WordSenses {
  std::vector<std::string> senses;
  std::vector<std::int64_t> uses;  // of each sense
  std::vector<SenseSeparation> separations;
  Plot plot;  // the uses at one layer, projected on their first two principal components
};

// uses.texts contain the word (its first occurrence counts; see word_vector()); uses.classes are
// its senses. `plot_layer`: see EmbeddingOptions. Throws DataError for a text without the word, and
// unless every sense has two uses; ConfigError for a layer the model does not have.
WordSenses measure_senses(const EmbeddingEngine& embedder, const LabeledText& uses,
                          const std::string& word, int plot_layer);

}  // namespace attend
