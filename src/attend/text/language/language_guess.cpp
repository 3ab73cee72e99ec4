#include "attend/text/language/language_guess.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "attend/text/language/language_model.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

using detail::LanguageModel;

// The candidates that mean a language: those that name its script, too, if there are any.
std::vector<std::size_t> meaning(const std::string& language, std::span<const LanguageTag> tags) {
  const LanguageTag wanted = language_tag(language);
  std::vector<std::size_t> same, other_script;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i].language != wanted.language) continue;
    const bool fits = wanted.script.empty() || tags[i].script == wanted.script;
    (fits ? same : other_script).push_back(i);
  }
  return same.empty() ? other_script : same;
}

// Gives the probability of each known language to the candidates that mean it.
std::vector<double> shared_among(std::span<const std::string> candidates,
                                 const std::vector<double>& probabilities) {
  std::vector<LanguageTag> tags;
  for (const std::string& candidate : candidates) tags.push_back(language_tag(candidate));
  std::vector<double> shares(candidates.size(), 0);
  const std::span<const std::string> known = LanguageModel::instance().languages();
  for (std::size_t l = 0; l < probabilities.size(); ++l) {
    const std::vector<std::size_t> owners = meaning(known[l], tags);
    for (const std::size_t owner : owners)
      shares[owner] += probabilities[l] / static_cast<double>(owners.size());
  }
  return shares;
}

std::vector<LanguageGuess> sorted(std::span<const std::string> names,
                                  const std::vector<double>& confidences) {
  std::vector<LanguageGuess> guesses;
  for (std::size_t i = 0; i < names.size(); ++i)
    guesses.push_back({names[i], confidences.empty() ? 0 : confidences[i]});
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const LanguageGuess& one, const LanguageGuess& other) {
                     return one.confidence > other.confidence;
                   });
  return guesses;
}

double sum_of(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

}  // namespace

std::vector<LanguageGuess> guess_language(std::string_view text) {
  const LanguageModel& model = LanguageModel::instance();
  return sorted(model.languages(), model.probabilities(text));
}

std::vector<LanguageGuess> guess_language(std::string_view text,
                                          std::span<const std::string> candidates) {
  const std::vector<double> probabilities = LanguageModel::instance().probabilities(text);
  std::vector<double> shares = shared_among(candidates, probabilities);
  // The languages of other scripts remain possible.
  const double sum = sum_of(shares) + std::max(0.0, 1 - sum_of(probabilities));
  if (sum > 0)
    for (double& share : shares) share /= sum;
  return sorted(candidates, shares);
}

std::vector<LanguageGuess> guess_known_language(std::string_view text,
                                                std::span<const std::string> candidates) {
  return sorted(candidates,
                shared_among(candidates, LanguageModel::instance().probabilities(text)));
}

}  // namespace attend
