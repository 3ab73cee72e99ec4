// Which of some languages a text is in, by its script, its most frequent words and its letters:
// enough to choose among a few languages for a sentence or more.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

struct LanguageGuess {
  std::string language;   // as among the candidates
  double confidence = 0;  // from 0 to 1; those of all candidates add up to at most 1
};

// All candidates, the most likely first. Where nothing makes one likely, those in the script of the
// text come first, and before them those in which people write such a short text: "Bonjour!". The
// confidence remains 0. Equal ones keep their order. `candidates` begin with an ISO 639 code: "de",
// "de_DE", "deu_Latn". A language that is not known here has the confidence 0.
std::vector<LanguageGuess> guess_language(std::string_view text,
                                          std::span<const std::string> candidates);

}  // namespace attend
