#include "attend/data/related_texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"

namespace attend {
namespace {

// Calls accept(cells, where) for every record; `where` is "file:line".
template <class Accept>
void for_each_row(std::span<const std::string> files, const RelatedOptions& options,
                  const std::vector<ColumnChoice>& columns, const Accept& accept) {
  if (files.empty()) throw ConfigError("found no file of texts, expected at least one");
  std::vector<std::string> cells;
  for (const std::string& file : files) {
    for (TableReader table(file, options.table, options.header, columns); table.next(cells);) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (is_blank(cells[i]))
          throw DataError(
              fmt::format("{}: the {} is empty", table.where(), columns[i].default_name));
      }
      accept(cells, table.where());
    }
  }
}

// Numbers distinct texts in the order of their first occurrence.
class TextNumbers {
 public:
  explicit TextNumbers(std::vector<std::string>& texts) : texts_(texts) {}
  std::int32_t of(std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, std::ssize(texts_));
    if (is_new) texts_.push_back(std::move(text));
    return static_cast<std::int32_t>(place->second);
  }

 private:
  std::vector<std::string>& texts_;
  std::unordered_map<std::string, std::ptrdiff_t> numbers_;
};

RelatedTexts read_tuples(std::span<const std::string> files, const RelatedOptions& o) {
  std::vector<ColumnChoice> columns{{"anchor-column", o.pair.anchor, "anchor", 1},
                                    {"positive-column", o.pair.positive, "positive", 2}};
  if (o.relation == TextRelation::triplets)
    columns.push_back({"negative-column", o.negative_column, "negative", 3});
  RelatedTexts result;
  TextNumbers numbers(result.texts);
  std::set<std::array<std::int32_t, 3>> known;
  for_each_row(files, o, columns, [&](std::vector<std::string>& cells, const std::string& where) {
    TextTuple tuple{numbers.of(cells[0]), numbers.of(cells[1])};
    if (cells.size() > 2) tuple.negative = numbers.of(cells[2]);
    if (tuple.negative == tuple.positive)
      throw DataError(fmt::format("{}: the negative is the same text as the positive", where));
    if (known.insert({tuple.anchor, tuple.positive, tuple.negative}).second) {
      result.tuples.push_back(tuple);
    } else {
      ++result.repeated;
    }
  });
  if (result.tuples.size() < 2)
    throw DataError(fmt::format(
        "{}: expected two or more different {}, found {}: the others serve as negatives",
        files.front(), enum_names(o.relation)[static_cast<std::size_t>(o.relation)],
        result.tuples.size()));
  return result;
}

RelatedTexts read_labels(std::span<const std::string> files, const RelatedOptions& o) {
  const std::vector<ColumnChoice> columns{{"label-column", o.label_column, "label", 1},
                                          {"text-column", o.text_column, "text", 2}};
  RelatedTexts result;
  std::map<std::string, std::int32_t> labels;
  std::set<std::pair<std::int32_t, std::string>> known;
  for_each_row(files, o, columns, [&](std::vector<std::string>& cells, const std::string&) {
    const auto label = labels
                           .try_emplace(std::string(unicode::strip(cells[0])),
                                        static_cast<std::int32_t>(labels.size()))
                           .first->second;
    if (known.insert({label, cells[1]}).second) {
      result.labels.push_back(label);
      result.texts.push_back(std::move(cells[1]));
    } else {
      ++result.repeated;
    }
  });
  if (labels.size() < 2)
    throw OptionError<DataError>(
        "{}: expected texts with two or more labels, found {}; {} chooses another column",
        files.front(), labels.size(), as_flag("label-column"));
  if (labels.size() == result.texts.size())
    throw DataError(fmt::format(
        "{}: expected texts that share a label, found another label for each of the {} texts",
        files.front(), result.texts.size()));
  return result;
}

std::optional<double> number_in(const std::string& cell) {
  double value = 0;
  const char* const end = cell.data() + cell.size();
  const auto result = std::from_chars(cell.data(), end, value);
  const bool whole = result.ec == std::errc() && result.ptr == end;
  return whole && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

}  // namespace

std::vector<std::int32_t> RelatedTexts::first_equal() const {
  std::vector<std::int32_t> result;
  std::unordered_map<std::string_view, std::int32_t> firsts;
  for (const std::string& text : texts) {
    const auto number = static_cast<std::int32_t>(result.size());
    result.push_back(firsts.try_emplace(std::string_view(text), number).first->second);
  }
  return result;
}

RelatedTexts read_related(std::span<const std::string> files, const RelatedOptions& options) {
  return options.relation == TextRelation::labeled ? read_labels(files, options)
                                                   : read_tuples(files, options);
}

ScoredTexts read_scored(std::span<const std::string> files, const RelatedOptions& o) {
  const std::vector<ColumnChoice> columns{{"anchor-column", o.pair.anchor, "anchor", 1},
                                          {"positive-column", o.pair.positive, "positive", 2},
                                          {"score-column", o.pair.score, "score", 3}};
  ScoredTexts result;
  TextNumbers numbers(result.texts);
  for_each_row(files, o, columns, [&](std::vector<std::string>& cells, const std::string& where) {
    const std::optional<double> score = number_in(cells[2]);
    if (!score)
      throw OptionError<DataError>(
          "{}: expected a number as the score, found {}; {} chooses another column", where,
          quote(cells[2]), as_flag("score-column"));
    result.pairs.push_back({numbers.of(cells[0]), numbers.of(cells[1]), *score});
  });
  const bool all_equal = std::all_of(
      result.pairs.begin(), result.pairs.end(),
      [&](const ScoredTexts::Pair& pair) { return pair.score == result.pairs.front().score; });
  if (all_equal)
    throw DataError(fmt::format("{}: expected pairs with different scores, found {}", files.front(),
                                result.pairs.empty() ? "none" : "one score for all"));
  return result;
}

}  // namespace attend
