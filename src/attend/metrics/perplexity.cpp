#include "attend/metrics.h"

#include <cmath>
#include <numbers>

#include "attend/error.h"

namespace attend {
namespace {

double mean(double nll, std::int64_t count, const char* message) {
  if (count < 1) throw ConfigError(message);
  return nll / static_cast<double>(count);
}

}  // namespace

void Perplexity::add(double part_nll, std::int64_t part_tokens, std::int64_t part_words,
                     std::int64_t part_characters) {
  nll += part_nll;
  tokens += part_tokens;
  words += part_words;
  characters += part_characters;
}

double Perplexity::per_token() const {
  return std::exp(mean(nll, tokens, "no perplexity: the text has no tokens"));
}

double Perplexity::per_word() const {
  return std::exp(mean(nll, words, "no perplexity per word: the words were not counted"));
}

double Perplexity::bits_per_character() const {
  return mean(nll, characters, "no bits per character: the characters were not counted") /
         std::numbers::ln2;
}

double Perplexity::bits_per_token() const {
  return mean(nll, tokens, "no perplexity: the text has no tokens") / std::numbers::ln2;
}

}  // namespace attend
