// The fuzz targets of table formats: two columns of a table in a file are read, written and read
// again, with the same cells.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "attend/core/strings/utf8.h"
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

// A table of the columns a and b in some format.
struct WrittenTable {
  TableFormat format;
  std::string head;
  std::string (*record)(const std::vector<std::string>& cells);
};

// One input: the first byte says whether columns are chosen by name.
inline void fuzz_table(std::string_view bytes, const WrittenTable& written) {
  static const FuzzFile file;
  file.write(bytes.substr(bytes.empty() ? 0 : 1));
  const bool names = !bytes.empty() && (bytes[0] & 1) != 0;
  const FuzzRecords records = read_fuzz_table(file, written.format, names);
  std::string text = written.head;
  for (const auto& cells : records) text += written.record(cells);
  file.write(text);
  if (read_fuzz_table(file, written.format, /*names=*/true) != records)
    throw std::logic_error("a table that is read, written and read again is another");
}

}  // namespace attend
