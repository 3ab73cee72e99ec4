// Finds where else a word is used as in a given sentence: a "bat" that flies finds other animals,
// one that is swung finds other clubs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/core/options/options.h"
#include "attend/tasks/embedding/engine.h"

namespace attend {

inline constexpr NumberRange kContextCounts = between(1, 1e6);

struct NearestOptions {
  std::string word;
  std::string corpus;
  int count = 10;
};

template <class Visitor>
void fields(NearestOptions& o, Visitor&& visit) {
  visit("word", o.word, "word to look for");
  visit("corpus", o.corpus, "text to search for the word, plain, gzip or zstd");
  visit("count", o.count, kContextCounts, "lines of the corpus to print");
}

struct WordContext {
  std::string line;
  std::int64_t line_number = 0;
  float similarity = 0;  // cosine of the word's two vectors
};

// The lines of `corpus` that contain `word`, most similar first. Words are compared without
// punctuation and without regard to ASCII case. A word of several tokens has the mean of their
// vectors, at `layer` (see EmbeddingOptions). Throws DataError if the text does not contain the
// word, and "name:line: ..." for a line with the word that is longer than the model's learned
// positions.
std::vector<WordContext> nearest_contexts(const EmbeddingEngine& embedder, const std::string& text,
                                          const std::string& word, LineReader& corpus, int layer,
                                          int count);

}  // namespace attend
