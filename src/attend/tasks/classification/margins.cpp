#include "attend/tasks/classification/margins.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/data/table.h"
#include "attend/error.h"

namespace attend {

namespace {

// The pairs of a query with both passages.
std::array<std::string, 2> pairs_of(const std::string& triple) {
  const std::size_t first = triple.find('\t'), second = triple.find('\t', first + 1);
  const std::string query = triple.substr(0, first + 1);
  return {triple.substr(0, second), query + triple.substr(second + 1)};
}

}  // namespace

std::vector<std::string> read_triples(std::span<const std::string> files) {
  std::vector<std::string> triples, cells;
  for (const std::string& file : files)
    for (TableReader table(file, TableFormat::by_name, false,
                           {{"triples", "", "query", 1},
                            {"triples", "", "positive", 2},
                            {"triples", "", "negative", 3}});
         table.next(cells);) {
      for (std::string& cell : cells) {
        if (is_blank(cell))
          throw DataError(fmt::format("{}: expected a query and two passages, found an empty one",
                                      table.where()));
        std::replace(cell.begin(), cell.end(), '\t', ' ');
      }
      triples.push_back(fmt::format("{}\t{}\t{}", cells[0], cells[1], cells[2]));
    }
  return triples;
}

TaughtKind passage_scores() { return {"passage_scores", {"positive", "negative"}}; }

std::vector<float> passage_scores(const ClassificationTeachers& teachers,
                                  std::span<const std::string> triples) {
  if (teachers.problem() != ProblemType::regression)
    throw DataError(
        "expected rerankers as teachers, which give a pair of texts a number, found models for "
        "labels");
  std::vector<std::string> pairs;
  for (const std::string& triple : triples)
    for (std::string& pair : pairs_of(triple)) pairs.push_back(std::move(pair));
  return teachers.answers(pairs, {.pairs = true, .function_to_apply = OutputFunction::none});
}

LabeledText read_margins(const std::filesystem::path& folder) {
  const TaughtTexts taught(folder);
  if (taught.kind().kind != passage_scores().kind || taught.width() != 2)
    throw DataError(fmt::format("{}: expected the scores of passages, found {}",
                                printable(taught.folder(), 500), taught.kind().kind));
  LabeledText text;
  text.classes = {"score"};
  text.together = 2;
  for (std::size_t i = 0; i < taught.texts().size(); ++i) {
    const std::string& triple = taught.texts()[i];
    if (std::count(triple.begin(), triple.end(), '\t') != 2)
      throw DataError(
          fmt::format("{}: expected a query and two passages with tabs between, found {}",
                      printable(taught.folder(), 500), quote(triple, 60)));
    for (std::string& pair : pairs_of(triple)) text.texts.push_back(std::move(pair));
    text.targets.push_back(taught.row(i)[0] - taught.row(i)[1]);
  }
  return text;
}

}  // namespace attend
