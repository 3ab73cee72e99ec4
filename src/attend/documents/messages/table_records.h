// The cells of a table with their places, for files that keep all other bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/sentences.h"

namespace attend {

struct TableCell {
  TextSpan place;    // with its quotation marks
  std::string text;  // without them
  bool is_quoted = false;
};

// Reads one record after another.
class TableRecords {
 public:
  enum class Kind { csv, tsv };

  // `name` stands for the table in messages; both must outlive the reader.
  TableRecords(std::string_view name, std::string_view table, Kind kind);

  // The cells of the next record that is not empty; false at the end. Throws DataError for one that
  // is malformed.
  bool next(std::vector<TableCell>& cells);

  // What cells end at; NUL: a record is one cell.
  char separator() const { return separator_; }

 private:
  bool ends_cell(std::size_t at) const;
  bool ends_line(std::size_t at) const;
  TableCell quoted_cell();
  TableCell plain_cell();

  std::string_view name_, table_;
  Kind kind_;
  char separator_ = '\t';
  std::size_t at_ = 0;
};

}  // namespace attend
