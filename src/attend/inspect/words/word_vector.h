// The vector of a word in a sentence: the mean of its token vectors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attend/tasks/embedding/engine.h"

namespace attend {

// Normalizes a word for comparison: no punctuation, lower-case ASCII: "Bat," -> "bat".
std::string bare_word(std::string word);

// The vector of the first such word in a text; empty if there is none.
std::vector<float> word_vector(const TextEmbedding& embedding, const std::string& bare_word);

// Returns the vectors of a word in several texts, the embeddings of which are given. Throws
// DataError for a text without the word.
std::vector<std::vector<float>> word_vectors(std::span<const TextEmbedding> embeddings,
                                             std::span<const std::string> texts,
                                             const std::string& word);

}  // namespace attend
