#include "attend/inspect/class_explanation.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

// In one ragged batch, as far as memory allows.
constexpr std::int64_t kTokensTogether = 1 << 16;

// `words` are views into `text`.
std::string text_without(const std::string& text, const std::vector<std::string_view>& words,
                         std::size_t left_out) {
  const auto place = [&](std::size_t word) {
    return static_cast<std::size_t>(words[word].data() - text.data());
  };
  const bool is_last = left_out + 1 == words.size();
  std::string rest = text.substr(0, place(left_out));
  if (is_last) return std::string(unicode::strip_right(rest));
  return rest += std::string_view(text).substr(place(left_out + 1));
}

double relative_entropy(const AttentionMap& map, std::int64_t row) {
  if (map.cols < 2) return 1;
  double entropy = 0;
  for (std::int64_t col = 0; col < map.cols; ++col) {
    const double weight = map.weights[static_cast<std::size_t>(row * map.cols + col)];
    if (weight > 0) entropy -= weight * std::log(weight);
  }
  return entropy / std::log(static_cast<double>(map.cols));
}

}  // namespace

std::vector<WordEffect> word_effects(const ClassificationEngine& classifier,
                                     const std::string& text, std::size_t label) {
  const std::vector<std::string_view> words = unicode::split(text);
  if (words.empty()) throw DataError("the text: expected some words, found none");
  if (words.size() > kMostWordsToLeaveOut)
    throw DataError(fmt::format(
        "the text: expected at most {} words to leave out one by one, found {}; shorten "
        "it",
        kMostWordsToLeaveOut, words.size()));
  std::vector<WordEffect> effects;
  std::vector<std::string> shortened;
  std::vector<std::size_t> places;  // of the shortened texts among the words
  for (std::size_t i = 0; i < words.size(); ++i) {
    effects.push_back({std::string(words[i]), std::nullopt});
    std::string rest = text_without(text, words, i);
    if (is_blank(rest)) continue;
    shortened.push_back(std::move(rest));
    places.push_back(i);
  }
  const std::vector<Classification> found =
      classifier.classify(shortened, {.batch_tokens = kTokensTogether});
  for (std::size_t i = 0; i < found.size(); ++i)
    effects[places[i]].probability_without = found[i].probabilities[label];
  return effects;
}

AttentionEntropy attention_entropy(const std::vector<std::vector<AttentionMap>>& maps) {
  AttentionEntropy result;
  double sum = 0;
  std::size_t count = 0;
  for (const std::vector<AttentionMap>& layer : maps) {
    result.heads.emplace_back();
    for (const AttentionMap& head : layer) {
      double mean = 0;
      for (std::int64_t row = 0; row < head.rows; ++row)
        mean += relative_entropy(head, row) / static_cast<double>(head.rows);
      result.heads.back().push_back(mean);
      sum += mean;
      ++count;
    }
  }
  result.mean = sum / static_cast<double>(count);
  return result;
}

std::string AttentionEntropy::summary() const {
  if (is_nearly_uniform())
    return fmt::format(
        "Attention is nearly uniform: its entropy is {:.0f} % of the maximum. Where the model "
        "looks "
        "says little about which words matter.",
        100 * mean);
  return fmt::format("The entropy of attention is {:.0f} % of the maximum.", 100 * mean);
}

}  // namespace attend
