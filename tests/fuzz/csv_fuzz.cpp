// The reader of CSV (RFC 4180) against hostile bytes (tables.h).
#include "fuzz/fuzz_target.h"
#include "fuzz/tables.h"

namespace attend::csv_fuzz {
namespace {

std::string quoted_cell(const std::string& cell) {
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + '"';
}

std::string csv_record(const std::vector<std::string>& cells) {
  return quoted_cell(cells[0]) + "," + quoted_cell(cells[1]) + "\r\n";
}

std::vector<std::string> corpus() {
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

std::vector<std::string> dictionary() {
  return {",",     "\"",   "\"\"",  "\",\"", "\"\n",         "\r\n", "\n",
          "\r",    "a,b",  "\t",    " ",     "\xef\xbb\xbf", "\xff", std::string("\0", 1),
          "a,b\n", ",\"x", "\"\"\""};
}

void use(std::string_view input) { fuzz_table(input, {TableFormat::csv, "a,b\r\n", csv_record}); }

const RegisteredFuzzTarget registered{{"csv", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::csv_fuzz
