// Labeled texts: reading, encoding, batching.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options.h"
#include "attend/data/batch_plan.h"
#include "attend/data/table.h"
#include "attend/nn/ragged.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct LabeledOptions {
  std::string label_column = {};
  std::string text_column = {};
  bool header = false;
  TableFormat table = TableFormat::by_name;
};

template <class Visitor>
void fields(LabeledOptions& o, Visitor&& visit) {
  visit("label-column", o.label_column,
        "column of the label: its name in the first line, or its number from 1; by default the one "
        "called label, else the first");
  visit("text-column", o.text_column,
        "column of the text: its name in the first line, or its number from 1; by default the one "
        "called text, else the second");
  visit("header", o.header,
        "skip the first line of every file; not needed when columns are chosen by name");
  visit("table", o.table,
        "format of labeled texts: tsv, csv (RFC 4180) or jsonl (an object per line); by_name: by "
        "the file name, .csv, .jsonl or .ndjson, else tsv");
}

// texts[i] has the class classes[labels[i]].
struct LabeledText {
  std::vector<std::string> classes;  // sorted bytewise, distinct
  std::vector<std::string> texts;
  std::vector<std::int32_t> labels;
};

// Reads tables (see data/table.h), plain or gzip, one after the other. Ignores other columns. The
// classes are the labels that occur. Throws ConfigError for bad options; DataError "file:line: ..."
// for a line without one of the columns or with a blank label or text, and if there are no lines or
// only one class; also like LineReader.
LabeledText read_labeled(std::span<const std::string> files, const LabeledOptions& options);
// The same for more data of a model with known classes: an unknown label is a DataError "file:line:
// ...".
LabeledText read_labeled(std::span<const std::string> files, const LabeledOptions& options,
                         std::span<const std::string> classes);

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

struct LabeledReport {
  std::int64_t texts = 0;
  std::int64_t empty = 0;      // kept: only eos, because the vocabulary has no token of it
  std::int64_t truncated = 0;  // kept, shortened

  // "20000 texts; 1 empty, 8123 truncated to the maximum length". One line, to print.
  std::string summary() const;
};

// B texts.
struct ClassificationBatch {
  Ragged text;  // every sequence ends with eos
  Ids labels;   // B
};

// Encodes all texts as one batch, in order, on all threads. Adds to `report`.
ClassificationBatch encode_labeled(const LabeledText& text, const Tokenizer& tokenizer,
                                   const SpecialTokens& special, const TextLengthOptions& options,
                                   LabeledReport& report);

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

  std::int64_t texts() const { return texts_.text.sequences(); }
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
