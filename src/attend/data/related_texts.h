// Texts that belong together: pairs, triplets, or texts with labels. And pairs with a score.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/options/options.h"
#include "attend/data/table.h"

namespace attend {

// What a line says of texts.
//   pairs     an anchor and a positive, which belong together
//   triplets  an anchor, a positive, and a negative, which does not belong to them
//   labeled   a label and a text; texts with the same label belong together
enum class TextRelation { pairs, triplets, labeled };

inline std::span<const std::string_view> enum_names(TextRelation) {
  static constexpr std::array<std::string_view, 3> kNames{"pairs", "triplets", "labeled"};
  return kNames;
}

struct PairColumns {
  std::string anchor = {};
  std::string positive = {};
  std::string score = {};
};

template <class Visitor>
void fields(PairColumns& o, Visitor&& visit) {
  visit("anchor-column", o.anchor,
        "column of the first text of a pair: its name in the first line, or its number from 1; "
        "default: the one named anchor, otherwise the first");
  visit(
      "positive-column", o.positive,
      "column of the second text of a pair; default: the one named positive, otherwise the second");
  visit("score-column", o.score,
        "column of the score of a scored pair; default: the one named score, otherwise the third");
}

struct RelatedOptions {
  TextRelation relation = TextRelation::pairs;
  PairColumns pair;
  std::string negative_column = {};
  std::string label_column = {};
  std::string text_column = {};
  bool header = false;
  TableFormat table = TableFormat::by_name;
};

template <class Visitor>
void fields(RelatedOptions& o, Visitor&& visit) {
  visit("texts", o.relation,
        "what a line holds: pairs of texts that belong together, triplets with a third text that "
        "does not, or labeled texts (same label: together)");
  fields(o.pair, visit);
  visit("negative-column", o.negative_column,
        "column of the third text of a triplet; default: the one named negative, otherwise the "
        "third");
  visit("label-column", o.label_column,
        "column of the label of a labeled text; default: the one named label, otherwise the first");
  visit("text-column", o.text_column,
        "column of a labeled text; default: the one named text, otherwise the second");
  visit("header", o.header,
        "skip the first line of every file; not needed when columns are chosen by name");
  visit("table", o.table,
        "format of the texts: tsv, csv (RFC 4180) or jsonl (an object per line); by_name: by the "
        "file name, .csv, .jsonl or .ndjson, else tsv");
}

// Texts are given by their numbers in RelatedTexts.
struct TextTuple {
  std::int32_t anchor = 0, positive = 0;
  std::int32_t negative = -1;  // -1: none
};

struct RelatedTexts {
  std::vector<std::string> texts;    // distinct; labeled texts: distinct with their labels
  std::vector<TextTuple> tuples;     // of pairs and triplets, in order
  std::vector<std::int32_t> labels;  // of labeled texts, one each
  std::int64_t repeated = 0;         // lines left out, equal to earlier ones

  bool are_labeled() const { return !labels.empty(); }
  // Returns for each text the first one equal to it: a labeled text occurs once for each of its
  // labels.
  std::vector<std::int32_t> first_equal() const;
};

// Reads tables (data/table.h), plain, gzip or zstd, one after the other. Throws ConfigError for bad
// options; DataError "file:line: ..." for a line without one of the columns or with a blank cell,
// and if nothing can be learned: fewer than two tuples, one label alone, or no two texts with the
// same label; also like LineReader.
RelatedTexts read_related(std::span<const std::string> files, const RelatedOptions& options);

struct ScoredTexts {
  struct Pair {
    std::int32_t first = 0, second = 0;  // in `texts`
    double score = 0;
  };
  std::vector<std::string> texts;  // distinct
  std::vector<Pair> pairs;
};

// Reads the anchor, the positive and the score, a number, of every line. Throws like
// read_related(), also for fewer than two pairs or scores that are all equal.
ScoredTexts read_scored(std::span<const std::string> files, const RelatedOptions& options);

}  // namespace attend
