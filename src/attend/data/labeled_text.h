// Labeled texts from tables: single labels, several labels, or numbers; one text or a pair.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "attend/classifier.h"
#include "attend/core/options/options.h"
#include "attend/data/table.h"

namespace attend {

struct LabeledOptions {
  std::string label_column = {};
  std::string text_column = {};
  bool header = false;
  TableFormat table = TableFormat::by_name;
  std::string second_column = {};
  std::string label_separator = ",";
};

// Where labels and texts stand in a table.
template <class Visitor>
void table_fields(LabeledOptions& o, Visitor&& visit) {
  visit("label-column", o.label_column,
        "column of the label: its name in the first line, or its number from 1; default: the one "
        "named label, otherwise the first");
  visit("text-column", o.text_column,
        "column of the text: its name in the first line, or its number from 1; default: the one "
        "named text, otherwise the second");
  visit("header", o.header,
        "skip the first line of every file; not needed when columns are chosen by name");
  visit("table", o.table,
        "format of labeled texts: tsv, csv (RFC 4180) or jsonl (an object per line); by_name: by "
        "the file name, .csv, .jsonl or .ndjson, else tsv");
}

template <class Visitor>
void fields(LabeledOptions& o, Visitor&& visit) {
  table_fields(o, visit);
  visit("second-column", o.second_column,
        "column of the second text of a pair, such as a hypothesis: its name in the first line, or "
        "its number from 1; by default texts are not pairs");
  visit("label-separator", o.label_separator,
        "separator between the labels of a text, for multi-label models");
}

// Text i has the class classes[labels[i]] (single_label), the classes c with targets[i C + c] = 1
// (multi_label), or the number targets[i] (regression, whose one class names the number). In
// training, targets may be probabilities, also of single labels, which then have no labels.
struct LabeledText {
  std::vector<std::string> classes;  // sorted bytewise, distinct
  std::vector<std::string> texts;    // of a pair: both, with a tab between
  std::vector<std::int32_t> labels;
  std::vector<float> targets = {};
  // Texts of a target: of 2, which follow each other, the target is the difference of their
  // numbers.
  std::int64_t together = 1;
};

// What the label column holds.
struct ExpectedLabels {
  ProblemType problem = ProblemType::single_label;
  std::span<const std::string> classes = {};  // the known ones; empty: those that occur
};

// Reads tables (see data/table.h), plain, gzip or zstd, one after the other. Ignores other columns,
// and white space around labels.
// An empty list of labels is one without labels; a member of JSON Lines may be a list. Throws
// ConfigError for bad options; DataError "file:line: ..." for a line without one of the columns,
// with a blank label or text, with a label that holds a tab or is not one of the known classes, or
// with a label that is no number where one is expected; and if there are no lines or, of single
// labels, only one class; also like LineReader.
LabeledText read_labeled(std::span<const std::string> files, const LabeledOptions& options,
                         const ExpectedLabels& expected = {});

// Both texts of every pair, all first ones before all second ones.
std::vector<std::string> separate_texts(const std::vector<std::string>& pairs);

}  // namespace attend
