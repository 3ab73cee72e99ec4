// Which language a text is in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

struct LanguageGuess {
  std::string language;
  double confidence = 0;  // a probability, from 0 to 1
};

// Every known language, the most likely first: ISO 639-1 codes, and zh-Hans and zh-Hant for
// Chinese. The confidences add up to at most 1: what is missing belongs to the scripts of no known
// language. They are all 0 for a text without letters.
std::vector<LanguageGuess> guess_language(std::string_view text);

// All candidates, the most likely first, with the confidence that each has if the text is in one of
// them. Equal ones keep their order. They begin with an ISO 639 code: "de", "de_DE", "deu_Latn".
// One that is not known here has the confidence 0; two of the same language share its confidence.
std::vector<LanguageGuess> guess_language(std::string_view text,
                                          std::span<const std::string> candidates);

// The same, of all known languages instead: they add up to 1 only if the text is in a candidate.
std::vector<LanguageGuess> guess_known_language(std::string_view text,
                                                std::span<const std::string> candidates);

}  // namespace attend
