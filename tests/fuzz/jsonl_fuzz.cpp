// The reader of JSON Lines against hostile bytes (tables.h).
#include <nlohmann/json.hpp>

#include "fuzz/fuzz_target.h"
#include "fuzz/tables.h"

namespace attend::jsonl_fuzz {
namespace {

std::string jsonl_record(const std::vector<std::string>& cells) {
  return nlohmann::json{{"a", cells[0]}, {"b", cells[1]}}.dump() + "\n";
}

std::vector<std::string> corpus() {
  return {"1{\"a\":\"one\",\"b\":\"two\"}\n{\"b\":4,\"a\":true}\n",
          "1{\"a\":\"ein g\\u00fctes\",\"b\":\"\\ud834\\udd1e\"}\n",
          "1{\"a\":\"two\\nlines\",\"b\":\"\\r\\n\",\"more\":[{}]}\n\n",
          "1{\"a\":null,\"b\":[]}\n",
          "0{\"1\":\"x\",\"2\":\"y\"}\n",
          "1{\"a\":1e400,\"b\":-0.0}\n",
          "1{\"a\":\"x\",\"a\":\"y\",\"b\":12345678901234567890}\n",
          "1{\"a\":\"\\ud800\",\"b\":\"\\u0000\"}\n",
          "1[1]\n\"a\"\n{}\n",
          "1{\"a\":" + std::string(100, '[') + std::string(100, ']') + ",\"b\":1}\n",
          "1\xef\xbb\xbf{\"a\":\"\",\"b\":\"\"}"};
}

std::vector<std::string> dictionary() {
  return {"{\"a\":", ",\"b\":", "}\n",  "\"a\":\"", "\\n",          "\\\"",  "\\u0000",
          "\\ud800", "\\udc00", "\\\\", "null",     "true",         "1e999", "[[",
          "]]",      "{",       "\n",   "\r\n",     "\xef\xbb\xbf", "\xff",  "\\u000a"};
}

void use(std::string_view input) { fuzz_table(input, {TableFormat::jsonl, "\n", jsonl_record}); }

const RegisteredFuzzTarget registered{{"jsonl", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::jsonl_fuzz
