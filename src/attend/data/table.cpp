#include "attend/data/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "attend/core/files/lines.h"
#include "attend/core/json/json.h"
#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/error.h"

namespace attend {
namespace {

using Cells = std::vector<std::string>;

constexpr std::size_t kMostCellBytes = LineReader::kMaxLineBytes;

TableFormat format_of(std::string_view file) {
  file = unpacked_name(file);
  if (file.ends_with(".csv")) return TableFormat::csv;
  if (file.ends_with(".jsonl") || file.ends_with(".ndjson")) return TableFormat::jsonl;
  return TableFormat::tsv;
}

// nullopt for a name. Throws ConfigError for 0.
std::optional<int> column_number(const ColumnChoice& column) {
  int number = 0;
  const char* end = column.name.data() + column.name.size();
  const auto result = std::from_chars(column.name.data(), end, number);
  if (column.name.empty() || result.ec != std::errc() || result.ptr != end) return std::nullopt;
  if (number < 1)
    throw OptionError<ConfigError>("{}: expected the name of a column or its number from 1, got {}",
                                   as_key(column.option), number);
  return number;
}

bool is_named(const ColumnChoice& column) { return !column.name.empty() && !column_number(column); }

Cells split_tabs(std::string_view line) {
  Cells cells;
  for (;;) {
    const std::size_t tab = line.find('\t');
    cells.emplace_back(line.substr(0, tab));
    if (tab == line.npos) return cells;
    line.remove_prefix(tab + 1);
  }
}

// The place of a column in the first record, as written or else in other capitals and with spaces
// around it.
std::optional<std::size_t> place_of(const Cells& first, std::string_view name) {
  const auto found = std::find(first.begin(), first.end(), name);
  if (found != first.end()) return static_cast<std::size_t>(found - first.begin());
  const std::string wanted = unicode::lowercase(unicode::strip(name));
  for (std::size_t i = 0; i < first.size(); ++i)
    if (unicode::lowercase(unicode::strip(first[i])) == wanted) return i;
  return std::nullopt;
}

std::string without_line_breaks(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

TableReader::TableReader(const std::string& file, TableFormat format, bool header,
                         std::vector<ColumnChoice> columns)
    : lines_(file),
      format_(format == TableFormat::by_name ? format_of(file) : format),
      columns_(std::move(columns)) {
  if (format_ == TableFormat::jsonl) {
    for (ColumnChoice& column : columns_) {
      if (column_number(column))
        throw OptionError<ConfigError>(
            "{}: expected the name of a member, as {} has objects, got {}", as_key(column.option),
            file, column.name);
      if (column.name.empty()) column.name = column.default_name;
    }
  } else {
    choose(header);
  }
  require_different();
}

void TableReader::require_different() const {
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool same = format_ == TableFormat::jsonl ? columns_[i].name == columns_[j].name
                                                      : places_[i] == places_[j];
      if (same)
        throw OptionError<ConfigError>("{} and {}: expected two different columns, got the same",
                                       as_flag(columns_[j].option), as_flag(columns_[i].option));
    }
  }
}

// A first line with some of the names that columns have by default is hardly a sample.
void TableReader::require_no_names() const {
  std::vector<OptionText> options;
  bool found = false;
  for (const ColumnChoice& column : columns_) {
    if (!column.name.empty()) {
      options.push_back(as_flag(column.option));
      continue;
    }
    const bool is_there = place_of(first_, column.default_name).has_value();
    found = found || is_there;
    if (!is_there) options.push_back(as_flag(column.option));
  }
  if (!found || options.empty()) return;
  throw OptionError<DataError>(
      "{}: the first line looks like names of columns ({}); choose the others by name ({}), skip "
      "it with {}, or choose all columns by number if it is a sample",
      where_, printable(fmt::format("{}", fmt::join(first_, ", ")), 200), joined(options, ", "),
      as_flag("header"));
}

void TableReader::choose(bool header) {
  has_first_ = read_record(first_);
  first_where_ = where_;
  const bool all_default =
      std::all_of(columns_.begin(), columns_.end(), [&](const ColumnChoice& column) {
        return column.name.empty() && place_of(first_, column.default_name);
      });
  const bool any_named = std::any_of(columns_.begin(), columns_.end(), is_named);
  if (!header && !any_named && !all_default) require_no_names();
  if (all_default) {
    for (ColumnChoice& column : columns_) column.name = column.default_name;
  }
  for (const ColumnChoice& column : columns_) {
    if (is_named(column)) {
      const std::optional<std::size_t> found = place_of(first_, column.name);
      if (!found) {
        throw OptionError<DataError>(
            "{}: expected a column called {} ({}) in the first line, found {}", where_,
            quote(column.name), as_key(column.option),
            printable(fmt::format("{}", fmt::join(first_, ", "))));
      }
      places_.push_back(*found);
    } else {
      places_.push_back(
          static_cast<std::size_t>(column_number(column).value_or(column.default_number) - 1));
    }
  }
  if (header || any_named || all_default) has_first_ = false;
}

bool TableReader::next(std::vector<std::string>& cells) {
  Cells record;
  cells.clear();
  if (format_ == TableFormat::jsonl) {
    std::string line;
    do {
      if (!read_line(line)) return false;
    } while (line.empty());
    for (const ColumnChoice& column : columns_)
      cells.push_back(without_line_breaks(member(line, column)));
    return true;
  }
  if (std::exchange(has_first_, false)) {
    record = std::move(first_);
    where_ = first_where_;
  } else if (!read_record(record)) {
    return false;
  }
  for (const std::size_t place : places_) {
    if (place >= record.size()) {
      throw OptionError<DataError>(
          "{}: expected at least {} columns separated by {}, found {}; {} choose others", where_,
          place + 1, format_ == TableFormat::csv ? "commas" : "tabs", record.size(),
          options_named());
    }
    cells.push_back(without_line_breaks(record[place]));
  }
  return true;
}

OptionText TableReader::options_named() const {
  std::vector<OptionText> flags;
  for (const ColumnChoice& column : columns_) flags.push_back(as_flag(column.option));
  return joined(flags, " and ");
}

bool TableReader::read_line(std::string& line) {
  const bool more = lines_.next(line);
  where_ = lines_.where();
  return more;
}

bool TableReader::read_record(Cells& cells) {
  std::string line;
  if (format_ == TableFormat::tsv) {
    if (!read_line(line)) return false;
    cells = split_tabs(line);
    return true;
  }
  do {
    if (!read_line(line)) return false;
  } while (line.empty());
  cells = split_csv(line);
  return true;
}

// Reads further lines if a quoted cell continues in them.
Cells TableReader::split_csv(std::string& line) {
  Cells cells;
  for (std::size_t at = 0;;) {
    std::string cell;
    if (at < line.size() && line[at] == '"') {
      cell = quoted_cell(line, at);
    } else {
      const std::size_t comma = std::min(line.find(',', at), line.size());
      cell = line.substr(at, comma - at);
      at = comma;
    }
    cells.push_back(std::move(cell));
    if (at == line.size()) return cells;
    ++at;
  }
}

// The cell whose opening quote is at `at`, which advances to the comma after it or to the end of
// the line.
std::string TableReader::quoted_cell(std::string& line, std::size_t& at) {
  std::string cell;
  for (++at;;) {
    const std::size_t quote = line.find('"', at);
    cell.append(line, at, quote == line.npos ? line.npos : quote - at);
    if (cell.size() > kMostCellBytes || quote == line.npos) {
      const std::string begin = where_;
      if (cell.size() > kMostCellBytes || !lines_.next(line))
        throw DataError(fmt::format(
            "{}: a quote that opens in this record is never closed; expected CSV as in RFC 4180",
            begin));
      cell += '\n';
      at = 0;
      continue;
    }
    at = quote + 1;
    if (at < line.size() && line[at] == '"') {
      cell += line[at++];
      continue;
    }
    if (at < line.size() && line[at] != ',') {
      throw DataError(
          fmt::format("{}: expected a comma after a closing quote, found {}; a quote inside quotes "
                      "is written twice",
                      where_, attend::quote(line.substr(at), 20)));
    }
    return cell;
  }
}

std::string TableReader::member(const std::string& line, const ColumnChoice& column) const {
  const nlohmann::ordered_json object = parse_json(line, where_);
  const auto found = object.is_object() ? object.find(column.name) : object.end();
  if (!object.is_object() || found == object.end())
    throw OptionError<DataError>("{}: expected an object with {} ({} chooses another)", where_,
                                 quote(column.name), as_flag(column.option));
  return found->is_array() && !column.list_separator.empty() ? list_text(*found, column)
                                                             : value_text(*found, column);
}

std::string TableReader::list_text(const nlohmann::ordered_json& list,
                                   const ColumnChoice& column) const {
  std::string joined;
  for (const nlohmann::ordered_json& value : list) {
    const std::string text = value_text(value, column);
    const bool is_cut = column.list_separator == " "
                            ? unicode::split(text).size() != 1  // a word
                            : text.find(column.list_separator) != text.npos;
    if (is_cut && column.list_separator == " ")
      throw DataError(
          fmt::format("{}: {}: expected a word without spaces in each element of the "
                      "list, found {}",
                      where_, printable(column.name), quote(text, 60)));
    if (is_cut)
      throw DataError(fmt::format("{}: {}: {} contains the separator of the list, {}", where_,
                                  printable(column.name), quote(text, 60),
                                  quote(column.list_separator)));
    joined += (joined.empty() ? "" : column.list_separator) + text;
  }
  return joined;
}

std::string TableReader::value_text(const nlohmann::ordered_json& value,
                                    const ColumnChoice& column) const {
  if (value.is_string()) {
    std::string text = value.get<std::string>();
    if (text.find('\0') == text.npos) return text;
    throw DataError(fmt::format("{}: {}: expected text, found a NUL character (\\u0000)", where_,
                                printable(column.name)));
  }
  if (value.is_number() || value.is_boolean()) return value.dump();
  throw DataError(fmt::format("{}: {}: expected a string or a number, found {}", where_,
                              printable(column.name),
                              value.is_null()    ? "null"
                              : value.is_array() ? "a list"
                                                 : "an object"));
}

}  // namespace attend
