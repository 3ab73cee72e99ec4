// The kind of text that a model was trained on, and a check of input against it. A model of
// lower-cased words translates cased text badly, without an error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options/options.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct TextKind {
  std::string language = {};  // ISO 639-1: "en"; empty: unknown
  bool lowercased = false;    // no capital letters
  bool tokenized = false;     // spaces between words and punctuation
  double unknown = 0;         // share of unknown tokens
};

// The kinds of text that a model was trained on, by side: "src" and "tgt", or "text".
using TextKinds = std::map<std::string, TextKind>;

template <class Visitor>
void fields(TextKind& o, Visitor&& visit) {
  visit("language", o.language, "language of the text");
  visit("lowercased", o.lowercased, "whether it has no capital letters");
  visit("tokenized", o.tokenized, "whether punctuation stands apart from words");
  visit("unknown", o.unknown, between(0, 1), "share of unknown tokens");
}

// The statistics that distinguish kinds of text.
struct TextStatistics {
  std::int64_t tokens = 0, unknown = 0;
  std::int64_t capitals = 0, letters = 0;  // cased letters
  std::int64_t marks = 0,
               marks_apart =
                   0;  // commas, periods and the like after a word; those with a space before
  // Words with unknown tokens, and their counts.
  std::map<std::string, std::int64_t> examples;

  void add(std::string_view line, const Tokenizer& tokenizer);
  TextKind kind(std::string language) const;
};

// The kind of a training text that is read line by line: looks at some thousand of its lines.
class KindSample {
 public:
  // `lines`: how many the text has.
  KindSample(std::int64_t lines, Tokenizer tokenizer);

  // The next line, which it does not keep.
  void add(std::string_view line);
  TextKind kind(std::string language) const { return seen_.kind(std::move(language)); }

 private:
  Tokenizer tokenizer_;
  TextStatistics seen_;
  std::int64_t step_;  // from one line that it looks at to the next
  std::int64_t next_ = 0;
};

// The same of a text in memory.
TextKind kind_of(std::span<const std::string> lines, const Tokenizer& tokenizer,
                 const std::string& language);

// The language in file names: "data/train.en.gz" -> "en"; empty if there is none.
std::string language_of(std::span<const std::string> files);

// Compares input lines with the kind of text that a model knows.
class TextFit {
 public:
  // nullopt: an older model without a recorded kind; only unknown tokens are checked.
  TextFit(Tokenizer tokenizer, std::optional<TextKind> kind)
      : tokenizer_(std::move(tokenizer)), kind_(std::move(kind)) {}

  // Counts a line, without keeping it; ignores lines after the first few thousand.
  void add(std::string_view line);
  // Whether it ignores further lines.
  bool is_decided() const;

  // Empty if the text fits. Otherwise one line such as
  //   22 % of the tokens are unknown to this model ("A", "Two"); it was trained on lower-cased,
  //   tokenized text
  std::string warning() const;
  bool has_capitals_too_many() const;
  bool has_marks_unsplit() const;

 private:
  bool has_unknown_too_many() const;

  Tokenizer tokenizer_;
  std::optional<TextKind> kind_;
  TextStatistics seen_;
  std::int64_t lines_ = 0;
};

}  // namespace attend
