#include "attend/inspect/words/word_vector.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/ascii.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"

namespace attend {

std::string bare_word(std::string word) {
  while (!word.empty() && is_ascii_punctuation(word.back())) word.pop_back();
  word.erase(word.begin(), std::find_if_not(word.begin(), word.end(), is_ascii_punctuation));
  for (char& c : word) c = ascii_lower(c);
  return word;
}

std::vector<float> word_vector(const TextEmbedding& embedding, const std::string& bare_word) {
  for (const Tokenizer::Word& word : embedding.words) {
    if (attend::bare_word(word.text) == bare_word)
      return mean_vector(embedding.vectors, word.begin, word.end);
  }
  return {};
}

std::vector<std::vector<float>> word_vectors(std::span<const TextEmbedding> embeddings,
                                             std::span<const std::string> texts,
                                             const std::string& word) {
  std::vector<std::vector<float>> vectors;
  for (std::size_t i = 0; i < embeddings.size(); ++i) {
    vectors.push_back(word_vector(embeddings[i], bare_word(word)));
    if (vectors.back().empty())
      throw DataError(fmt::format("text {} does not contain the word {}: {}", i + 1, quote(word),
                                  quote(texts[i])));
  }
  return vectors;
}

}  // namespace attend
