// What the fuzz targets of tables have in common: two columns of a table in a file, and that what
// was read is read again from what it would be written as.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "attend/core/utf8.h"
#include "attend/data/table.h"
#include "attend/error.h"
#include "fuzz/fuzz_file.h"

namespace attend {

using FuzzRecords = std::vector<std::vector<std::string>>;

// The columns "a" and "b" by name, or by number where `names` is false. Records that are wrong end
// the table.
inline FuzzRecords read_fuzz_table(const FuzzFile& file, TableFormat format, bool names) {
  FuzzRecords records;
  const std::vector<ColumnChoice> columns{{"first", names ? "a" : "1", "a", 1},
                                          {"second", names ? "b" : "2", "b", 2}};
  try {
    TableReader table(file.path(), format, /*header=*/false, columns);
    for (std::vector<std::string> cells; table.next(cells);) {
      if (cells.size() != columns.size()) throw std::logic_error("a record with too few cells");
      for (const std::string& cell : cells) {
        if (!is_utf8(cell) || cell.find('\n') != cell.npos || cell.find('\0') != cell.npos)
          throw std::logic_error("a cell that is no line of text");
      }
      if (table.where().find(file.path() + ":") != 0)
        throw std::logic_error("a record that is nowhere");
      records.push_back(cells);
    }
  } catch (const DataError&) {
  } catch (const ConfigError&) {
  }
  return records;
}

// Writes the records as `text`, the same table in the same format with the names a and b, and reads
// them again.
inline void require_same_records(const FuzzRecords& records, const FuzzFile& file,
                                 TableFormat format, const std::string& text) {
  file.write(text);
  if (read_fuzz_table(file, format, /*names=*/true) != records)
    throw std::logic_error("a table that is read, written and read again is another");
}

}  // namespace attend
