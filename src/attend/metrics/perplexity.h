// Perplexity from the summed negative log-likelihood of a model, in nats.
#pragma once

#include <cstdint>

namespace attend {

struct Perplexity {
  double nll = 0;               // summed over all predicted tokens, in nats
  std::int64_t tokens = 0;      // predicted tokens, the end of each sequence included
  std::int64_t words = 0;       // words of the text, as its readers count them; 0 when unknown
  std::int64_t characters = 0;  // of the text, with an end for each line; 0 when unknown

  // Adds another part of the same text.
  void add(double part_nll, std::int64_t part_tokens, std::int64_t part_words = 0, std::int64_t part_characters = 0);

  // exp(nll / tokens). Throws ConfigError without tokens.
  double per_token() const;
  // exp(nll / words): comparable between models with different vocabularies. Throws ConfigError without words.
  double per_word() const;
  // nll / tokens / ln 2.
  double bits_per_token() const;
  // nll / characters / ln 2: comparable between all models of a text. Throws ConfigError without characters.
  double bits_per_character() const;
};

}  // namespace attend
