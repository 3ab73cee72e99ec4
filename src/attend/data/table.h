// Records with named or numbered columns, as people have their data: tab-separated, CSV or JSON
// Lines.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/lines.h"

namespace attend {

// by_name: by the ending of the file's name, .csv, .jsonl or .ndjson, with or without .gz; any
// other is tab-separated.
enum class TableFormat { by_name, tsv, csv, jsonl };
inline std::span<const std::string_view> enum_names(TableFormat) {
  static constexpr std::array<std::string_view, 4> kNames{"by_name", "tsv", "csv", "jsonl"};
  return kNames;
}

// Which column an option chooses.
struct ColumnChoice {
  std::string option;  // for messages: "text-column"
  std::string name;    // a name, or a number from 1; empty: neither was given
  std::string
      default_name;  // taken when neither was given and the file has columns of all default names
  int default_number = 1;  // taken otherwise
};

// Reads the chosen columns of a file, plain or gzip, record by record.
//
//   tsv    cells end at tabs; nothing is quoted
//   csv    RFC 4180: cells end at commas; "a cell in quotes may hold commas, ""quotes"" and line
//   breaks" jsonl  an object on each line; a column is a member: a string, a number, true or false
//
// The first record of tsv and csv holds names when a column is chosen by name, when it holds all
// default names, or when `header` says so. A line break inside a cell becomes a space, because a
// text is a line everywhere else.
class TableReader {
 public:
  // Throws as LineReader does, and ConfigError or DataError, naming the option, for a column that
  // the file does not have.
  TableReader(const std::string& file, TableFormat format, bool header,
              std::vector<ColumnChoice> columns);

  // Writes the cells of the chosen columns; false at the end. Throws DataError "file:line: ..." for
  // a record that lacks one of them or is not in the format.
  bool next(std::vector<std::string>& cells);

  // "file:line" where the record that next() gave last begins.
  const std::string& where() const { return where_; }

 private:
  using Cells = std::vector<std::string>;

  bool read_record(Cells& cells);
  bool read_line(std::string& line);
  Cells split_csv(std::string& line);
  std::string quoted_cell(std::string& line, std::size_t& at);
  std::string member(const std::string& line, const ColumnChoice& column) const;
  void choose(bool header);
  void require_different() const;
  std::string options_named() const;

  LineReader lines_;
  TableFormat format_;
  std::vector<ColumnChoice> columns_;
  std::vector<std::size_t> places_;  // of the chosen columns among the cells; unused for jsonl
  std::string where_;
  Cells first_;  // record that was read to see whether it holds names, and does not
  bool has_first_ = false;
  std::string first_where_;
};

}  // namespace attend
