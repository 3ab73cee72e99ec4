// The reader of JSON Lines against hostile bytes: records of text that are the same when they are
// written and read again, or an error.
#include <nlohmann/json.hpp>

#include "fuzz/fuzz_target.h"
#include "fuzz/tables.h"

namespace attend {
namespace {

void read(const std::string& bytes, const FuzzFile& file) {
  file.write(bytes);
  const FuzzRecords records = read_fuzz_table(file, TableFormat::jsonl, /*names=*/true);
  std::string text = "\n";
  for (const auto& cells : records)
    text += nlohmann::json{{"a", cells[0]}, {"b", cells[1]}}.dump() + "\n";
  require_same_records(records, file, TableFormat::jsonl, text);
}

}  // namespace

std::vector<std::string> fuzz_corpus() {
  return {"{\"a\":\"one\",\"b\":\"two\"}\n{\"b\":4,\"a\":true}\n",
          "{\"a\":\"ein g\\u00fctes\",\"b\":\"\\ud834\\udd1e\"}\n",
          "{\"a\":\"two\\nlines\",\"b\":\"\\r\\n\",\"more\":[{}]}\n\n",
          "{\"a\":null,\"b\":[]}\n",
          "{\"a\":1e400,\"b\":-0.0}\n",
          "{\"a\":\"x\",\"a\":\"y\",\"b\":12345678901234567890}\n",
          "{\"a\":\"\\ud800\",\"b\":\"\\u0000\"}\n",
          "[1]\n\"a\"\n{}\n",
          "{\"a\":" + std::string(100, '[') + std::string(100, ']') + ",\"b\":1}\n",
          "\xef\xbb\xbf{\"a\":\"\",\"b\":\"\"}"};
}

std::vector<std::string> fuzz_dictionary() {
  return {"{\"a\":", ",\"b\":", "}\n",  "\"a\":\"", "\\n",          "\\\"",  "\\u0000",
          "\\ud800", "\\udc00", "\\\\", "null",     "true",         "1e999", "[[",
          "]]",      "{",       "\n",   "\r\n",     "\xef\xbb\xbf", "\xff",  "\\u000a"};
}

void fuzz_repair(std::string&) {}

}  // namespace attend

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const attend::FuzzFile file;
  attend::read(std::string(reinterpret_cast<const char*>(data), size), file);
  return 0;
}
