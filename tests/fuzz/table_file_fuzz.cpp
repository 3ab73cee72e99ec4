// Tables whose cells are translated, against hostile bytes: texts that are translated into
// themselves leave the file as it is, and a translation has as many cells.
#include <cstdlib>

#include "attend/documents/messages/table_records.h"
#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/unchanged.h"
#include "fuzz/fuzz_target.h"

namespace attend::table_file_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {"cid,text\n1,\"a \"\"b\"\", c\"\n2,d. E\n", "cid;a,b\r\nx;\"y\nz\"\r\n",
          "csep=|\na|b\nc|d", "tid\ttext\n1\t\"a b\n"};
}

std::vector<std::string> dictionary() {
  return {"\"", "\"\"", ",", ";", "\t", "\n", "\r\n", "sep=", "a. B", "\xEF\xBB\xBF", "\xff"};
}

std::vector<std::size_t> widths_of(const std::string& table, TableRecords::Kind kind) {
  TableRecords records("a", table, kind);
  std::vector<std::size_t> widths;
  for (std::vector<TableCell> cells; records.next(cells);) widths.push_back(cells.size());
  return widths;
}

void use(std::string_view input) {
  if (input.empty()) return;
  const bool is_tsv = input.front() == 't';
  const std::string name = is_tsv ? "a.tsv" : "a.csv", table(input.substr(1));
  try {
    if (unchanged(name, table) != table) std::abort();
  } catch (const DataError&) {
    return;
  }
  // Quotes in the first record may hide separators from the one who looks for them.
  const std::string first = table.substr(std::min(table.find_first_not_of("\r\n"), table.size()));
  if (first.substr(0, first.find_first_of("\r\n")).find('"') != first.npos) return;
  const auto kind = is_tsv ? TableRecords::Kind::tsv : TableRecords::Kind::csv;
  if (widths_of(file_in_capitals(name, table), kind) != widths_of(table, kind)) std::abort();
}

const RegisteredFuzzTarget registered{{"table_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::table_file_fuzz
