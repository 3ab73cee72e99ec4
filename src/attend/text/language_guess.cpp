#include "attend/text/language_guess.h"

#include <algorithm>
#include <numeric>

#include "attend/text/language_evidence.h"

namespace attend {
namespace {

double likelihood(std::size_t language, const detail::LanguageEvidence& evidence) {
  const double letters = evidence.known_letters();
  if (letters == 0) return 0;
  const double share = evidence.letters_of(detail::script_of(language)) / letters;
  if (detail::is_alone_in_script(language)) return share;
  const double words = static_cast<double>(std::max<std::size_t>(evidence.words, 1));
  return share * evidence.weight_of(language) / words;
}

}  // namespace

std::vector<LanguageGuess> guess_language(std::string_view text,
                                          std::span<const std::string> candidates) {
  const detail::LanguageEvidence evidence = detail::evidence_of(text);
  std::vector<LanguageGuess> guesses;
  for (const std::string& candidate : candidates) {
    const auto language = detail::find_language(candidate);
    guesses.push_back({candidate, language ? likelihood(*language, evidence) : 0});
  }
  // Each against all others, and against the chance that it is none of them.
  constexpr double kNone = 0.02;
  const double sum = std::accumulate(
      guesses.begin(), guesses.end(), kNone,
      [](double all, const LanguageGuess& guess) { return all + guess.confidence; });
  for (LanguageGuess& guess : guesses) guess.confidence /= sum;
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
  return guesses;
}

}  // namespace attend
