#include "attend/tasks/classification/soft_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "attend/error.h"
#include "attend/models/text_classifier.h"

namespace attend {

namespace {

// The targets of labels, row after row, smoothed like those of cross_entropy() and
// binary_cross_entropy().
std::vector<float> given_targets(const LabeledText& text, ProblemType problem, float smoothing) {
  if (problem == ProblemType::regression) return text.targets;
  const bool single = problem == ProblemType::single_label;
  const std::size_t classes = text.classes.size();
  std::vector<float> targets =
      single ? std::vector<float>(text.labels.size() * classes, 0.0f) : text.targets;
  if (single)
    for (std::size_t i = 0; i < text.labels.size(); ++i)
      targets[i * classes + static_cast<std::size_t>(text.labels[i])] = 1.0f;
  const float share = smoothing / (single ? static_cast<float>(classes) : 2.0f);
  for (float& target : targets) target = (1.0f - smoothing) * target + share;
  return targets;
}

}  // namespace

SoftLabels::SoftLabels(const std::filesystem::path& folder, ProblemType problem)
    : taught_(folder), problem_(problem) {
  const std::string_view wanted = enum_names(problem)[static_cast<std::size_t>(problem)];
  if (taught_.kind().kind != wanted || labels().empty())
    throw DataError(fmt::format("{}: expected what classifiers for {} say, found {}",
                                taught_.folder(), wanted, taught_.kind().kind));
}

std::vector<float> SoftLabels::targets_of(std::size_t taught,
                                          const std::vector<std::string>& classes) const {
  const std::span<const float> row = taught_.row(taught);
  if (problem_ == ProblemType::regression) return {row.front()};  // whatever its name is
  std::vector<float> targets(classes.size(), 0.0f);
  for (std::size_t c = 0; c < row.size(); ++c)
    if (const auto found = std::find(classes.begin(), classes.end(), labels()[c]);
        found != classes.end())
      targets[static_cast<std::size_t>(found - classes.begin())] = row[c];
  return targets;
}

std::size_t SoftLabels::add_to(LabeledText& text, const Weights& weights) const {
  const std::vector<std::string>& known = taught_.texts();
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < known.size(); ++i) places.emplace(known[i], i);

  const std::size_t classes = text.classes.size(), labeled = text.texts.size();
  text.targets = given_targets(text, problem_, weights.smoothing);
  text.labels.clear();
  for (std::size_t i = 0; i < labeled; ++i) {
    const auto place = places.find(text.texts[i]);
    if (place == places.end()) continue;
    const std::vector<float> taught = targets_of(place->second, text.classes);
    for (std::size_t c = 0; c < classes; ++c) {
      float& target = text.targets[i * classes + c];
      target = (1.0f - weights.taught) * target + weights.taught * taught[c];
    }
  }
  const std::unordered_set<std::string> given(text.texts.begin(), text.texts.end());
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (given.contains(known[i])) continue;
    const std::vector<float> taught = targets_of(i, text.classes);
    text.texts.push_back(known[i]);
    text.targets.insert(text.targets.end(), taught.begin(), taught.end());
  }
  return text.texts.size() - labeled;
}

}  // namespace attend
