// Tokenizers of every type, trained on a few sentences.
#pragma once

#include <string>
#include <vector>

#include "attend/text/tokenizer.h"

namespace attend {

inline std::vector<std::string> corpus() {
  const std::vector<std::string> subjects{"The small dog", "A young woman", "Der alte Mann",
                                          "Ein Mädchen", "Two children"};
  const std::vector<std::string> verbs{"reads", "is watching", "sieht", "kauft", "are painting"};
  const std::vector<std::string> objects{"a red house.", "the yellow bicycles!",
                                         "den grünen Apfel.", "die Straße?", "12 kites, quickly."};
  std::vector<std::string> sentences;
  for (const auto& s : subjects) {
    for (const auto& v : verbs) {
      for (const auto& o : objects) sentences.push_back(s + " " + v + " " + o);
    }
  }
  return sentences;
}

inline int size_for(TokenizerType type) {
  if (type == TokenizerType::word) return 30;  // some words stay unknown
  if (type == TokenizerType::byte_bpe) return 300;
  return type == TokenizerType::unigram ? 60 : 90;
}

inline TokenizerOptions options_of(TokenizerType type) {
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = size_for(type);
  return options;
}

inline Tokenizer trained(TokenizerType type) {
  return Tokenizer::train(corpus(), options_of(type));
}

}  // namespace attend
