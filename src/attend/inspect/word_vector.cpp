#include "attend/inspect/word_vector.h"

#include <algorithm>
#include <cctype>

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

}  // namespace attend
