// The tables of a breakdown: a row per group, and columns for every system.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/translation_breakdown.h"

namespace attend {
namespace {

constexpr std::size_t kLineNumbers = 10;  // most that are printed

struct TableRow {
  std::string name;
  std::int64_t count;
  std::vector<std::string> cells;  // the columns of the first system, then of the next
};

struct SystemsTable {
  std::string title, counted;  // what stands above the names and the counts
  std::vector<std::string> columns;
  std::vector<TableRow> rows;
};

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t length = count_code_points(text);
  return std::string(width > length ? width - length : 0, ' ') + std::string(text);
}

std::string padded_right(std::string_view text, std::size_t width) {
  const std::size_t length = count_code_points(text);
  return std::string(text) + std::string(width > length ? width - length : 0, ' ');
}

std::string without_spaces_at_end(std::string text) {
  text.resize(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

// `names`: of the systems; they stand above their columns if there are several.
std::string table_text(const SystemsTable& table, std::span<const std::string> names) {
  constexpr std::size_t kCount = 9, kColumn = 10;
  if (table.rows.empty()) return "";
  std::size_t first = count_code_points(table.title);
  for (const TableRow& row : table.rows) first = std::max(first, count_code_points(row.name));
  std::string above(first + kCount, ' '),
      header = padded_right(table.title, first) + padded_left(table.counted, kCount);
  std::vector<std::size_t> widths;
  for (const std::string& name : names) {
    const std::size_t all = kColumn * table.columns.size(),
                      shown = names.size() > 1 ? count_code_points(name) + 2 : 0,
                      wider = std::max(all, shown) - all;
    above += padded_left(name, all + wider);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      widths.push_back(kColumn + (i == 0 ? wider : 0));
      header += padded_left(table.columns[i], widths.back());
    }
  }
  std::string text = names.size() > 1 ? without_spaces_at_end(above) : "";
  text += without_spaces_at_end(header);
  for (const TableRow& row : table.rows) {
    std::string line =
        padded_right(row.name, first) + padded_left(fmt::format("{}", row.count), kCount);
    for (std::size_t i = 0; i < row.cells.size(); ++i) line += padded_left(row.cells[i], widths[i]);
    text += without_spaces_at_end(line);
  }
  return text + "\n";
}

using SideBySide = std::span<const NamedBreakdown>;

// A row per element of `part`, which all systems have alike; `count` and `cells` read an element.
template <class Part, class Count, class Cells>
std::vector<TableRow> rows_of(SideBySide systems, Part part, Count count, Cells cells) {
  std::vector<TableRow> rows;
  for (std::size_t i = 0; i < (systems[0].second.*part).size(); ++i) {
    const auto& first = (systems[0].second.*part)[i];
    TableRow row{first.name, count(first), {}};
    for (const auto& [name, breakdown] : systems)
      for (std::string& cell : cells((breakdown.*part)[i])) row.cells.push_back(std::move(cell));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<TableRow> score_rows(SideBySide systems,
                                 std::vector<LineGroup> TranslationBreakdown::*part, int digits) {
  return rows_of(
      systems, part, [](const LineGroup& group) { return group.lines; },
      [&](const LineGroup& group) {
        std::vector<std::string> cells;
        for (const double score : group.scores)
          cells.push_back(fmt::format("{:.{}f}", score, digits));
        return cells;
      });
}

// "-": there are none of which it could be a share.
std::string share_text(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.4f}", static_cast<double>(part) / static_cast<double>(whole));
}

std::vector<TableRow> word_rows(SideBySide systems,
                                std::vector<WordGroup> TranslationBreakdown::*part) {
  return rows_of(
      systems, part, [](const WordGroup& group) { return group.words.gold; },
      [](const WordGroup& group) {
        const HitCounts& words = group.words;
        return std::vector<std::string>{share_text(words.hits, words.gold),
                                        share_text(words.hits, words.predicted)};
      });
}

std::vector<TableRow> negation_rows(SideBySide systems) {
  const TranslationBreakdown& first = systems[0].second;
  if (!first.negation_known) return {};
  TableRow lost{"negated", first.negated, {}}, added{"not negated", first.not_negated, {}};
  for (const auto& [name, breakdown] : systems) {
    lost.cells.push_back(fmt::format("{}", breakdown.lost_negation.lines.size()));
    added.cells.push_back(fmt::format("{}", breakdown.added_negation.lines.size()));
  }
  return {lost, added};
}

std::string line_numbers(std::string_view what, std::span<const std::int64_t> lines) {
  if (lines.empty()) return "";
  std::vector<std::int64_t> shown(
      lines.begin(),
      lines.begin() + static_cast<std::ptrdiff_t>(std::min(lines.size(), kLineNumbers)));
  for (std::int64_t& line : shown) ++line;
  const std::size_t left = lines.size() - shown.size();
  return fmt::format("{}: {} {}{}\n", what, lines.size() == 1 ? "line" : "lines",
                     fmt::join(shown, ", "), left > 0 ? fmt::format(" and {} more", left) : "");
}

// What looks wrong in one system.
std::string troubles(const TranslationBreakdown& breakdown) {
  std::string text = line_numbers("negation lost", breakdown.lost_negation.lines) +
                     line_numbers("negation added", breakdown.added_negation.lines);
  for (const LineList& flag : breakdown.flags) text += line_numbers(flag.name, flag.lines);
  return text;
}

// What must be equal of two breakdowns that stand side by side.
std::string shape_of(const TranslationBreakdown& breakdown) {
  std::string shape =
      fmt::format("{} {} {} {} {}", fmt::join(breakdown.metrics, " "), breakdown.negation_known,
                  breakdown.negated, breakdown.not_negated, breakdown.flags.size());
  for (const auto* groups : {&breakdown.source_lengths, &breakdown.rarest_words})
    for (const LineGroup& group : *groups) shape += fmt::format("; {} {}", group.name, group.lines);
  for (const auto* groups : {&breakdown.word_frequencies, &breakdown.copied})
    for (const WordGroup& group : *groups)
      shape += fmt::format("; {} {}", group.name, group.words.gold);
  return shape;
}

}  // namespace

std::string format_breakdown(std::span<const NamedBreakdown> systems, int digits) {
  using Breakdown = TranslationBreakdown;
  if (systems.empty()) throw ConfigError("expected a breakdown to print, got none");
  const Breakdown& first = systems[0].second;
  std::vector<std::string> names;
  for (const auto& [name, breakdown] : systems) {
    names.push_back(printable(name));
    if (shape_of(breakdown) != shape_of(first))
      throw ConfigError("expected breakdowns of translations of the same lines");
  }
  const std::vector<std::string> shares{"recall", "precision"};
  std::string text = table_text({"words of the source", "lines", first.metrics,
                                 score_rows(systems, &Breakdown::source_lengths, digits)},
                                names) +
                     table_text({"rarest word, times in training", "lines", first.metrics,
                                 score_rows(systems, &Breakdown::rarest_words, digits)},
                                names) +
                     table_text({"words by times in training", "words", shares,
                                 word_rows(systems, &Breakdown::word_frequencies)},
                                names) +
                     table_text({"words copied from the source", "words", shares,
                                 word_rows(systems, &Breakdown::copied)},
                                names) +
                     table_text({"negation", "lines", {"wrong"}, negation_rows(systems)}, names);
  for (const auto& [name, breakdown] : systems) {
    const std::string own = troubles(breakdown);
    if (systems.size() > 1 && !own.empty()) text += printable(name) + "\n";
    text += own;
  }
  return text;
}

}  // namespace attend
