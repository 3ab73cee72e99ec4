// A word in several texts: its vectors, which depend on what is around it, as points of a plane.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attend/tasks/embedding/engine.h"

namespace attend {

struct WordUse {
  std::string text;
  double x = 0, y = 0;     // of its vector, in the plane of all
  int nearest = -1;        // the other use with the most similar vector; -1: there is no other
  float similarity = 0.0;  // the cosine of both
};

struct WordUses {
  int layer = 0;              // 0 .. layers of the embedder
  double shown_variance = 1;  // share of the vectors' variance that is in the plane
  std::vector<WordUse> uses;  // one for each text
};

// The first use of `word` in each text; a word of several tokens has the mean of their vectors.
// Words are compared as by bare_word(). `layer`: see EmbeddingOptions. Throws DataError for a text
// without the word or longer than the model's positions, ConfigError for a layer that the model
// does not have.
WordUses word_uses(const EmbeddingEngine& embedder, std::span<const std::string> texts,
                   const std::string& word, int layer);

}  // namespace attend
