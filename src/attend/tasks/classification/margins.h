// The scores that teachers give to two passages for a query, as targets of a reranker: margin-MSE
// (Hofstaetter et al. 2020) lets it learn their difference, whatever the range of the scores is.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "attend/data/labeled_text.h"
#include "attend/tasks/classification/teachers.h"
#include "attend/tasks/training/taught_texts.h"

namespace attend {

// Reads tables (data/table.h) of a query, a passage that answers it, and one that does not: the
// columns query, positive and negative, or the first three. Each becomes one text, with tabs
// between. Throws like TableReader; DataError for a cell that is empty.
std::vector<std::string> read_triples(std::span<const std::string> files);

// What the teachers of rerankers say of such texts.
TaughtKind passage_scores();
// The outputs of the teachers for both passages of each text, row after row. Throws DataError
// unless their output is a number.
std::vector<float> passage_scores(const ClassificationTeachers& teachers,
                                  std::span<const std::string> triples);

// The pairs of query and passage of passage_scores() in a folder, two of a target together, which
// is their difference. Throws like TaughtTexts; DataError for what is something else.
LabeledText read_margins(const std::filesystem::path& folder);

}  // namespace attend
