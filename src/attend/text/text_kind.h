// What kind of text a model was made for, and whether a text is of that kind: a model that has seen
// lower-cased words only makes little of others, and says nothing of it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "attend/core/options.h"
#include "attend/text/tokenizer.h"

namespace attend {

struct TextKind {
  std::string language = {};  // ISO 639-1: "en"; empty: not known
  bool lowercased = false;    // no capital letters
  bool tokenized = false;     // spaces between words and punctuation
  double unknown = 0;         // share of its tokens that the vocabulary does not have
};

template <class Visitor>
void fields(TextKind& o, Visitor&& visit) {
  visit("language", o.language, "language of the text");
  visit("lowercased", o.lowercased, "whether it has no capital letters");
  visit("tokenized", o.tokenized, "whether punctuation stands apart from words");
  visit("unknown", o.unknown, between(0, 1), "share of unknown tokens");
}

// Counts of what the kinds of text differ in.
struct TextStatistics {
  std::int64_t tokens = 0, unknown = 0;
  std::int64_t capitals = 0, letters = 0;  // of letters that have a case
  std::int64_t marks = 0,
               marks_apart =
                   0;  // commas, periods and the like after a word; those with a space between
  std::map<std::string, std::int64_t>
      examples;  // words with unknown tokens, and how often they occurred

  void add(std::string_view line, const Tokenizer& tokenizer);
  TextKind kind(std::string language) const;
};

// The kind of a training text: of some thousand lines from all over it.
TextKind kind_of(std::span<const std::string> lines, const Tokenizer& tokenizer,
                 const std::string& language);

// What the names of files say of the language: "data/train.en.gz" -> "en"; empty when they say
// nothing.
std::string language_of(std::span<const std::string> files);

// Compares the lines that a model is given with the kind of text that it knows.
class TextFit {
 public:
  // No kind: a model from before files had one; then only unknown tokens tell.
  TextFit(Tokenizer tokenizer, std::optional<TextKind> kind)
      : tokenizer_(std::move(tokenizer)), kind_(std::move(kind)) {}

  // Looks at a line, of which nothing is kept; after some thousand, at no more.
  void add(std::string_view line);

  // Empty when the text fits. Else one line such as
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
