// Records with named or numbered columns: tab-separated, CSV or JSON Lines.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/core/options/option_error.h"

namespace attend {

// by_name: by the file name's extension, .csv, .jsonl or .ndjson, with or without .gz; all others
// are tab-separated.
enum class TableFormat { by_name, tsv, csv, jsonl };
inline std::span<const std::string_view> enum_names(TableFormat) {
  static constexpr std::array<std::string_view, 4> kNames{"by_name", "tsv", "csv", "jsonl"};
  return kNames;
}

// A column chosen by an option.
struct ColumnChoice {
  std::string option;  // for messages: "text-column"
  std::string name;    // a name, or a number from 1; empty: not given
  // Used if none is given and the file has columns of all default names.
  std::string default_name;
  int default_number = 1;  // used otherwise
  // What joins the elements of a list in JSON Lines; empty: a list is an error.
  std::string list_separator = {};
};

// Reads the chosen columns of a file, plain, gzip or zstd, record by record.
//
//   tsv    cells end at tabs; no quoting
//   csv    RFC 4180: cells end at commas; a quoted cell may hold commas, ""quotes"" and line breaks
//   jsonl  one object per line; a column is a member: a string, a number, true or false, or,
//          where the column takes it, a list of these
//
// The first record of tsv and csv holds names if a column is chosen by name, if it holds all
// default names, or if `header` says so. Capitals and spaces around names do not matter. A line
// break inside a cell becomes a space, because a text is one line.
class TableReader {
 public:
  // Throws like LineReader, and ConfigError or DataError, naming the option, for a column that the
  // file does not have.
  TableReader(const std::string& file, TableFormat format, bool header,
              std::vector<ColumnChoice> columns);

  // Reads the cells of the chosen columns; false at the end. Throws DataError "file:line: ..." for
  // a record that lacks one of them or is malformed.
  bool next(std::vector<std::string>& cells);

  // "file:line" of the start of the last record.
  const std::string& where() const { return where_; }

 private:
  using Cells = std::vector<std::string>;

  bool read_record(Cells& cells);
  bool read_line(std::string& line);
  Cells split_csv(std::string& line);
  std::string quoted_cell(std::string& line, std::size_t& at);
  std::string member(const std::string& line, const ColumnChoice& column) const;
  std::string list_text(const nlohmann::ordered_json& list, const ColumnChoice& column) const;
  std::string value_text(const nlohmann::ordered_json& value, const ColumnChoice& column) const;
  void choose(bool header);
  void require_no_names() const;
  void require_different() const;
  OptionText options_named() const;

  LineReader lines_;
  TableFormat format_;
  std::vector<ColumnChoice> columns_;
  std::vector<std::size_t>
      places_;  // positions of the chosen columns among the cells; unused for jsonl
  std::string where_;
  Cells first_;  // a first record that turned out not to hold names
  bool has_first_ = false;
  std::string first_where_;
};

}  // namespace attend
