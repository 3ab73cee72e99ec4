// Why a classifier gives a text its label: the effect of leaving out each word, and how uniform its
// attention is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "attend/tasks/classification/engine.h"
#include "attend/translator.h"

namespace attend {

struct WordEffect {
  std::string word;
  // The probability of the explained class for the text without this word, exactly what the
  // classifier gives for that text; nullopt if nothing would be left.
  std::optional<float> probability_without;
};

// Each word costs one pass of the text.
constexpr std::size_t kMostWordsToLeaveOut = 1000;

// The effect of leaving out each word, with the white space after it. Words are separated by white
// space. All texts go through the model together. `label`: the class, an index of
// classifier.labels(). Throws DataError for a text without words, or with more than
// kMostWordsToLeaveOut.
std::vector<WordEffect> word_effects(const ClassificationEngine& classifier,
                                     const std::string& text, std::size_t label);

// How evenly a model looks at a text. An entropy here is relative to that of uniform weights: 0 for
// a position that looks at one place, 1 for one that looks at all places equally.
struct AttentionEntropy {
  std::vector<std::vector<double>> heads;  // [layer][head], the mean over its positions
  double mean = 0;                         // over all heads

  // If so, where the model looks says little about which words matter.
  bool is_nearly_uniform() const { return mean >= 0.9; }
  // A sentence or two, for people.
  std::string summary() const;
};

// `maps`: [layer][head], at least one, of at least one position.
AttentionEntropy attention_entropy(const std::vector<std::vector<AttentionMap>>& maps);

}  // namespace attend
