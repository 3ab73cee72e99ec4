// Labeled texts (labeled_text.h) as the input of a classifier: encoding, batching.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/batching/batch_plan.h"
#include "attend/data/labeled_text.h"
#include "attend/nn/ragged.h"
#include "attend/text/tokenizer.h"

namespace attend {

// The side of a long text that is dropped.
enum class Truncation { right, left };

inline std::span<const std::string_view> enum_names(Truncation) {
  static constexpr std::array<std::string_view, 2> kNames{"right", "left"};
  return kNames;
}

struct TextLengthOptions {
  int max_length = 256;
  Truncation truncation = Truncation::right;
};

template <class Visitor>
void fields(TextLengthOptions& o, Visitor&& visit) {
  visit("max-length", o.max_length, between(1, 1e6),
        "longest text in tokens, bos and eos included; longer texts are truncated");
  visit("truncation", o.truncation, "side on which longer texts are truncated: right or left");
}

// What is left of the tokens of a text when it is truncated to max_length, special tokens included.
// Throws ConfigError unless there is room for a token.
std::vector<std::int32_t> truncated_ids(std::vector<std::int32_t> ids, const SpecialTokens& special,
                                        const TextLengthOptions& options);

// bos (if there is one) + truncated_ids() + eos: the input of a classifier. Throws like
// truncated_ids().
std::vector<std::int32_t> classifier_ids(std::vector<std::int32_t> ids,
                                         const SpecialTokens& special,
                                         const TextLengthOptions& options);

// A pair of texts as the input of a classifier. Type of tokens: the first before `second`, the
// second from there on.
struct PairInput {
  std::vector<std::int32_t> ids;
  std::size_t second = 0;  // where the second text begins
};

// The same for two texts, with `separators` times eos between them. Of a pair that is too long, a
// text longer than its half is shortened; an odd token is for the longer one.
PairInput pair_input(std::vector<std::int32_t> first, std::vector<std::int32_t> second,
                     const SpecialTokens& special, const TextLengthOptions& options,
                     int separators);
std::vector<std::int32_t> pair_ids(std::vector<std::int32_t> first,
                                   std::vector<std::int32_t> second, const SpecialTokens& special,
                                   const TextLengthOptions& options, int separators);

struct LabeledReport {
  std::int64_t texts = 0;
  std::int64_t empty = 0;      // kept: only eos, because the vocabulary has no token of it
  std::int64_t truncated = 0;  // kept, shortened

  // "20000 texts; 1 empty, 8123 truncated to the maximum length". One line, to print.
  std::string summary() const;
};

// B texts, or B groups of texts that have a target together.
struct ClassificationBatch {
  Ragged text;                      // every sequence ends with eos
  Ids labels;                       // B, of single labels
  std::vector<float> targets = {};  // [B, C], of several labels, of numbers and of distributions
  std::int64_t together = 1;        // texts of a target: LabeledText::together
};

// How texts become the input of a classifier.
struct TextFormat {
  SpecialTokens special;
  TextLengthOptions length;
  bool pairs = false;
  int separators = 1;
};

// Encodes all texts as one batch, in order, on all threads. Adds to `report`.
ClassificationBatch encode_labeled(const LabeledText& text, const Tokenizer& tokenizer,
                                   const TextFormat& format, LabeledReport& report);

// Like TranslationBatcher: a batch is a function of (texts, options, seed, epoch, index), every
// text is in exactly one batch of an epoch, no batch exceeds batch_tokens unless a single text
// does, and all const functions may be called from several threads at once.
class ClassificationBatcher {
 public:
  // Without a seed texts keep their order. Throws ConfigError for bad options, DataError if there
  // are no texts.
  ClassificationBatcher(ClassificationBatch texts, const BatchOptions& options,
                        std::optional<std::uint64_t> seed);
  // As BatchPlanner::limit_batches().
  void limit_batches(std::int64_t tokens) { planner_.limit_batches(tokens); }

  // Groups, where texts have a target together.
  std::int64_t texts() const { return texts_.text.sequences() / texts_.together; }
  std::int64_t together() const { return texts_.together; }
  // Magnitude; 0 without targets.
  float largest_target() const;
  std::int64_t batches(std::int64_t epoch) const;
  // Throws DataError unless 0 <= index < batches(epoch).
  ClassificationBatch batch(std::int64_t epoch, std::int64_t index) const;

  struct Size {
    std::int64_t texts = 0;
    std::int64_t tokens = 0;
  };
  Size size(std::int64_t epoch, std::int64_t index) const;

 private:
  ClassificationBatch texts_;
  BatchPlanner planner_;
};

}  // namespace attend
