// The reader of CSV (RFC 4180) against hostile bytes: records of text that are the same when they
// are written and read again, or an error.
#include "fuzz/fuzz_target.h"
#include "fuzz/tables.h"

namespace attend {
namespace {

std::string quoted_cell(const std::string& cell) {
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

// The first byte says whether columns are chosen by name.
void read(const std::string& bytes, const FuzzFile& file) {
  const bool names = !bytes.empty() && (bytes[0] & 1) != 0;
  file.write(std::string_view(bytes).substr(bytes.empty() ? 0 : 1));
  const FuzzRecords records = read_fuzz_table(file, TableFormat::csv, names);
  std::string text = "a,b\r\n";
  for (const auto& cells : records)
    text += quoted_cell(cells[0]) + "," + quoted_cell(cells[1]) + "\r\n";
  require_same_records(records, file, TableFormat::csv, text);
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  return {"0one,two\nthree,four\n",
          "1a,b\r\none,two\r\n",
          "1b,c,a\n1,\"2,3\",\"say \"\"hi\"\"\"\n",
          "0\"a cell\nof three\r\nlines\",second\n",
          "0,\n,,\n\"\",\"\"\n",
          "0\"never closed,\n",
          "0\"closed\" wrongly,x\n",
          "1\xef\xbb\xbf"
          "a,b\nü,\"ü, €\"\n",
          "0one\n",
          "1"};
}

std::vector<std::string> fuzz_dictionary() {
  return {",",     "\"",   "\"\"",  "\",\"", "\"\n",         "\r\n", "\n",
          "\r",    "a,b",  "\t",    " ",     "\xef\xbb\xbf", "\xff", std::string("\0", 1),
          "a,b\n", ",\"x", "\"\"\""};
}

void fuzz_repair(std::string&) {}

}  // namespace attend

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const attend::FuzzFile file;
  attend::read(std::string(reinterpret_cast<const char*>(data), size), file);
  return 0;
}
