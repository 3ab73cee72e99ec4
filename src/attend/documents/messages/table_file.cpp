#include "attend/documents/messages/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/documents/messages/edited_file.h"
#include "attend/documents/messages/table_records.h"
#include "attend/error.h"

namespace attend {
namespace {

using Kind = TableRecords::Kind;

// nullopt for a name.
std::optional<std::size_t> number_of(std::string_view column) {
  std::size_t number = 0;
  const char* const end = column.data() + column.size();
  const auto result = std::from_chars(column.data(), end, number);
  if (column.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

// The place of a column by its name, as written or else in other capitals and with spaces around
// it.
std::optional<std::size_t> place_of(const std::vector<TableCell>& names, std::string_view column) {
  const auto same = [](std::string_view text) { return unicode::lowercase(unicode::strip(text)); };
  for (const bool exact : {true, false})
    for (std::size_t i = 0; i < names.size(); ++i)
      if (exact ? names[i].text == column : same(names[i].text) == same(column)) return i;
  return std::nullopt;
}

class TableFile : public EditedFile {
 public:
  TableFile(std::string_view name, std::string_view content, Kind kind,
            const std::vector<std::string>& columns)
      : EditedFile(content), kind_(kind) {
    require_utf8(name, content);
    TableRecords records(name, content, kind);
    separator_ = records.separator();
    std::vector<TableCell> cells;
    if (!records.next(cells)) return;
    const std::size_t width = cells.size();
    chosen_.assign(width, columns.empty());
    bool has_names = columns.empty();
    for (const std::string& column : columns) has_names = choose(name, cells, column) || has_names;
    if (!has_names) add_cells(cells);
    while (records.next(cells)) {
      if (cells.size() > width)
        throw DataError(fmt::format(
            "{}: expected at most {} cells, as in the first line, found {}; a cell with separators "
            "in it needs quotes",
            place_in_file(name, content, cells.front().place.begin), width, cells.size()));
      add_cells(cells);
    }
  }

 protected:
  std::string written(const Edit& edit, const TranslatedText& translated,
                      std::size_t k) const override {
    std::string cell = translated.translation(k);
    const std::string_view raw = edit.place.of(content());
    if (cell == text(edit.text).text) return std::string(raw);
    if (kind_ == Kind::tsv) {
      std::replace_if(
          cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; },
          ' ');
      return cell;
    }
    const bool needs_quotes = cell.find_first_of("\"\n\r") != cell.npos ||
                              (separator_ != '\0' && cell.find(separator_) != cell.npos);
    if (!needs_quotes && !raw.starts_with('"')) return cell;
    std::string quoted = "\"";
    for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + '"';
  }

 private:
  // Whether the column has been chosen by its name.
  bool choose(std::string_view name, const std::vector<TableCell>& first,
              const std::string& column) {
    const std::optional<std::size_t> number = number_of(column);
    const std::optional<std::size_t> place = number ? *number - 1 : place_of(first, column);
    if (place && *place < first.size()) {
      chosen_[*place] = true;
      return !number;
    }
    if (number)
      throw ConfigError(
          fmt::format("columns: expected a number from 1 to {}, as the first line of "
                      "{} has, got {}",
                      first.size(), quote(name), *number));
    std::vector<std::string_view> names;
    for (const TableCell& cell : first) names.push_back(cell.text);
    throw ConfigError(fmt::format("columns: expected names in the first line of {} ({}), got {}",
                                  quote(name), printable(fmt::format("{}", fmt::join(names, ", "))),
                                  quote(column)));
  }

  void add_cells(std::vector<TableCell>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      if (chosen_[i] && has_letters(cells[i].text))
        add_edit({.place = cells[i].place, .text = add_text({.text = std::move(cells[i].text)})});
  }

  Kind kind_;
  char separator_ = '\0';
  std::vector<bool> chosen_;
};

}  // namespace

std::unique_ptr<const Document> read_csv(std::string_view name, std::string_view content,
                                         const DocumentFileOptions& options) {
  return std::make_unique<TableFile>(name, content, Kind::csv, options.columns);
}

std::unique_ptr<const Document> read_tsv(std::string_view name, std::string_view content,
                                         const DocumentFileOptions& options) {
  return std::make_unique<TableFile>(name, content, Kind::tsv, options.columns);
}

}  // namespace attend
