// Where else a word is used as it is in a given sentence: a "bat" that flies finds other animals,
// one that is swung finds other clubs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "attend/core/lines.h"
#include "attend/core/options.h"
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
  visit("corpus", o.corpus, "text to search for the word, plain or gzip");
  visit("count", o.count, kContextCounts, "lines of the corpus to print");
}

struct WordContext {
  std::string line;
  std::int64_t line_number = 0;
  float similarity = 0;  // cosine of the two vectors of the word
};

// The lines of `corpus` that hold `word`, most alike first. Words are compared without their
// punctuation and, where they are ASCII, without regard to case; a word of several tokens has the
// mean of their vectors, at `layer` (see EmbeddingOptions). Throws DataError when the text does not
// hold the word, and "name:line: ..." for a line of the corpus with the word that is longer than
// the model's positions.
std::vector<WordContext> nearest_contexts(const EmbeddingEngine& embedder, const std::string& text,
                                          const std::string& word, LineReader& corpus, int layer,
                                          int count);

}  // namespace attend
