#include "attend/data/classification.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/core/strings/counted.h"
#include "attend/data/corpus.h"
#include "attend/error.h"

namespace attend {

namespace {

int count(const SpecialTokens& special) { return special.bos >= 0 ? 2 : 1; }

}  // namespace

std::vector<std::int32_t> truncated_ids(std::vector<std::int32_t> ids, const SpecialTokens& special,
                                        const TextLengthOptions& options) {
  const int others = count(special);
  if (options.max_length <= others)
    throw OptionError<ConfigError>("{} is {}, expected at least {}: a token and {}",
                                   as_key("max-length"), options.max_length, others + 1,
                                   special.bos >= 0 ? "the two ends" : "the end");
  const auto most = static_cast<std::size_t>(options.max_length - others);
  if (ids.size() > most) {
    const auto surplus = static_cast<std::ptrdiff_t>(ids.size() - most);
    if (options.truncation == Truncation::right) ids.resize(most);
    if (options.truncation == Truncation::left) ids.erase(ids.begin(), ids.begin() + surplus);
  }
  return ids;
}

std::vector<std::int32_t> classifier_ids(std::vector<std::int32_t> ids,
                                         const SpecialTokens& special,
                                         const TextLengthOptions& options) {
  ids = truncated_ids(std::move(ids), special, options);
  if (special.bos >= 0) ids.insert(ids.begin(), special.bos);
  ids.push_back(special.eos);
  return ids;
}

PairInput pair_input(std::vector<std::int32_t> first, std::vector<std::int32_t> second,
                     const SpecialTokens& special, const TextLengthOptions& options,
                     int separators) {
  if (separators == 0)
    throw ConfigError(
        "the model reads no pairs: its tokenizer does not say how two texts are joined");
  const int most = options.max_length - count(special) - separators;
  if (most < 2)
    throw OptionError<ConfigError>(
        "{} is {}, expected at least {}: two tokens and the marks of a pair", as_key("max-length"),
        options.max_length, count(special) + separators + 2);
  const auto room = static_cast<std::size_t>(most);
  const auto shorten = [&](std::vector<std::int32_t>& ids, std::size_t length) {
    if (ids.size() <= length) return;
    const auto surplus = static_cast<std::ptrdiff_t>(ids.size() - length);
    if (options.truncation == Truncation::right) ids.resize(length);
    if (options.truncation == Truncation::left) ids.erase(ids.begin(), ids.begin() + surplus);
  };
  if (first.size() + second.size() > room) {
    auto &shorter = first.size() <= second.size() ? first : second,
         &longer = first.size() <= second.size() ? second : first;
    shorten(shorter, std::max(room / 2, room - std::min(room, longer.size())));
    shorten(longer, room - shorter.size());  // an odd token is for the longer one
  }
  PairInput result;
  std::vector<std::int32_t>& ids = result.ids;
  if (special.bos >= 0) ids.push_back(special.bos);
  ids.insert(ids.end(), first.begin(), first.end());
  ids.insert(ids.end(), static_cast<std::size_t>(separators), special.eos);
  result.second = ids.size();
  ids.insert(ids.end(), second.begin(), second.end());
  ids.push_back(special.eos);
  return result;
}

std::vector<std::int32_t> pair_ids(std::vector<std::int32_t> first,
                                   std::vector<std::int32_t> second, const SpecialTokens& special,
                                   const TextLengthOptions& options, int separators) {
  return pair_input(std::move(first), std::move(second), special, options, separators).ids;
}

std::string LabeledReport::summary() const {
  std::string text = counted(texts, "text");
  if (empty > 0) text += fmt::format("; {} empty", empty);
  if (truncated > 0) text += fmt::format("; {} truncated to the maximum length", truncated);
  return text;
}

ClassificationBatch encode_labeled(const LabeledText& text, const Tokenizer& tokenizer,
                                   const TextFormat& format, LabeledReport& report) {
  RaggedBuilder all;
  const std::int64_t marks = count(format.special) + (format.pairs ? format.separators : 0);
  const auto take = [&](std::int64_t length, std::vector<std::int32_t> ids) {
    ++report.texts;
    if (length == 0) ++report.empty;
    if (length > format.length.max_length - marks) ++report.truncated;
    all.add(ids);
  };
  if (format.pairs) {
    auto sides = encode_all(separate_texts(text.texts), tokenizer);
    for (std::size_t i = 0; i < text.texts.size(); ++i) {
      auto &first = sides[i], &second = sides[text.texts.size() + i];
      const std::int64_t length = std::ssize(first) + std::ssize(second);
      take(length, pair_ids(std::move(first), std::move(second), format.special, format.length,
                            format.separators));
    }
  } else {
    for (auto& ids : encode_all(text.texts, tokenizer)) {
      const std::int64_t length = std::ssize(ids);
      take(length, classifier_ids(std::move(ids), format.special, format.length));
    }
  }
  return {all.build(), text.labels, text.targets, text.together};
}

namespace {

// The tokens of each group of texts.
std::vector<std::int32_t> lengths_of(const Ragged& text, std::int64_t together) {
  std::vector<std::int32_t> lengths(static_cast<std::size_t>(text.sequences() / together), 0);
  for (std::int64_t i = 0; i < text.sequences(); ++i)
    lengths[static_cast<std::size_t>(i / together)] += text.length(i);
  return lengths;
}

}  // namespace

ClassificationBatcher::ClassificationBatcher(ClassificationBatch texts, const BatchOptions& options,
                                             std::optional<std::uint64_t> seed)
    : texts_(std::move(texts)), planner_(lengths_of(texts_.text, texts_.together), options, seed) {}

float ClassificationBatcher::largest_target() const {
  float largest = 0;
  for (const float target : texts_.targets) largest = std::max(largest, std::abs(target));
  return largest;
}

std::int64_t ClassificationBatcher::batches(std::int64_t epoch) const {
  return planner_.plan(epoch)->batches();
}

ClassificationBatch ClassificationBatcher::batch(std::int64_t epoch, std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  RaggedBuilder text;
  std::vector<std::int32_t> labels;
  std::vector<float> targets;
  const std::size_t width = texts_.targets.size() / static_cast<std::size_t>(texts());
  for (const std::int32_t i : (*plan)[index]) {
    for (std::int64_t t = i * together(); t < (i + 1) * together(); ++t) text.add(texts_.text[t]);
    if (texts_.labels.size() > 0) labels.push_back(texts_.labels[i]);
    const auto row = std::span(texts_.targets).subspan(static_cast<std::size_t>(i) * width, width);
    targets.insert(targets.end(), row.begin(), row.end());
  }
  return {text.build(), std::move(labels), std::move(targets), together()};
}

ClassificationBatcher::Size ClassificationBatcher::size(std::int64_t epoch,
                                                        std::int64_t index) const {
  const auto plan = planner_.plan(epoch);
  Size size;
  for (const std::int32_t i : (*plan)[index]) {
    ++size.texts;
    for (std::int64_t t = i * together(); t < (i + 1) * together(); ++t)
      size.tokens += texts_.text.length(t);
  }
  return size;
}

}  // namespace attend
