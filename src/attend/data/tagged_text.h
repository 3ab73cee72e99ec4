// Texts with a tag for every word, such as IOB tags of entities: reading, encoding, batching.
#pragma once

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

// Text i has the words words[i], word w of it the tag tags[labels[i][w]].
struct TaggedText {
  std::vector<std::string> tags;  // sorted bytewise, distinct
  std::vector<std::vector<std::string>> words;
  std::vector<std::vector<std::int32_t>> labels;
};

// Reads files, plain, gzip or zstd, one after the other:
//
//   CoNLL   a word per line, with its tag in the last column and white space between columns; an
//           empty line ends a text; lines that begin with -DOCSTART- are skipped
//   tables  (CSV, JSON Lines, and tabs if options.table says so) a column `text` of words and a
//           column `label` of as many tags, with spaces between, or lists in JSON Lines
//
// `known`: the tags of a model; empty: those that occur. Throws ConfigError for bad options;
// DataError "file:line: ..." for a line without a tag, a text with another number of tags than of
// words and a tag that is not known; and if there are no texts or fewer than two tags.
TaggedText read_tagged(std::span<const std::string> files, const LabeledOptions& options,
                       std::span<const std::string> known = {});

// Whether all tags are those of entities: O, and B-, I-, E- or S- with a type.
bool are_entity_tags(std::span<const std::string> tags);

// The words of a raw text, views into it: between white space and, if `punctuation` is apart,
// without brackets and quotes before a word, and without these and the marks of sentences after it,
// each of which is a word. Full stops of abbreviations stay.
std::vector<std::string_view> words_of_text(std::string_view text, bool punctuation_apart);

// Whether the texts have punctuation apart from words: hardly a word that words_of_text() would
// cut.
bool has_punctuation_apart(const TaggedText& text);

// The longest input of a tagger.
struct TaggedLength {
  int max_length = 256;
};

template <class Visitor>
void fields(TaggedLength& o, Visitor&& visit) {
  visit("max-length", o.max_length, between(3, 1e6),
        "longest text in tokens, bos and eos included; longer texts are cut between words and "
        "tagged part by part");
}

// Words first .. first + rows.size() - 1 of a text as the input of a tagger.
struct TaggedPart {
  std::vector<std::int32_t> ids;   // bos if there is one, the tokens of the words, eos
  std::vector<std::int32_t> rows;  // the first token of each word
  std::size_t first = 0;
};

// Cuts a text into parts of at most `length` tokens. The tokens of a word are those it has alone;
// one without any has the unknown token, and one that is too long its first tokens. At least one
// word.
std::vector<TaggedPart> tagged_parts(std::span<const std::string> words, const Tokenizer& tokenizer,
                                     const SpecialTokens& special, const TaggedLength& length);

struct TaggedReport {
  std::int64_t texts = 0, words = 0;
  std::int64_t cut = 0;  // texts in several parts

  // "14041 texts with 203621 words; 2 cut". One line, to print.
  std::string summary() const;
};

// Parts of texts, and the tags of their words.
struct TaggedBatch {
  Ragged text;
  Ids rows;    // of the first tokens of all W words, among all tokens
  Ids labels;  // W
};

// Encodes all texts, part by part, in order. Adds to `report`.
std::vector<TaggedPart> encode_tagged(const TaggedText& text, const Tokenizer& tokenizer,
                                      const SpecialTokens& special, const TaggedLength& length,
                                      std::vector<std::vector<std::int32_t>>& labels,
                                      TaggedReport& report);

// Like ClassificationBatcher, for parts of texts.
class TaggedBatcher {
 public:
  // labels[i]: of the words of parts[i]. Without a seed parts keep their order. Throws ConfigError
  // for bad options, DataError if there are no parts.
  TaggedBatcher(std::vector<TaggedPart> parts, std::vector<std::vector<std::int32_t>> labels,
                const BatchOptions& options, std::optional<std::uint64_t> seed);
  void limit_batches(std::int64_t tokens) { planner_.limit_batches(tokens); }

  std::int64_t batches(std::int64_t epoch) const { return planner_.plan(epoch)->batches(); }
  // Throws DataError unless 0 <= index < batches(epoch).
  TaggedBatch batch(std::int64_t epoch, std::int64_t index) const;

  struct Size {
    std::int64_t words = 0;
    std::int64_t tokens = 0;
  };
  Size size(std::int64_t epoch, std::int64_t index) const;

 private:
  std::vector<TaggedPart> parts_;
  std::vector<std::vector<std::int32_t>> labels_;
  BatchPlanner planner_;
};

}  // namespace attend
