#include "attend/inspect/word_vector.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "attend/core/quote.h"
#include "attend/error.h"

namespace attend {

std::string bare_word(std::string word) {
  const auto is_punctuation = [](unsigned char c) { return c < 0x80 && std::ispunct(c) != 0; };
  while (!word.empty() && is_punctuation(word.back())) word.pop_back();
  word.erase(word.begin(), std::find_if_not(word.begin(), word.end(), is_punctuation));
  for (char& c : word)
    c = static_cast<char>(
        static_cast<unsigned char>(c) < 0x80 ? std::tolower(static_cast<unsigned char>(c)) : c);
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
