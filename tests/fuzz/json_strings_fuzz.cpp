// Files of JSON whose strings are translated, against hostile bytes: all JSON that the parser takes
// is taken, and texts that are translated into themselves leave the file as it is.
#include <cstdlib>

#include "attend/core/json/json.h"
#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/unchanged.h"
#include "fuzz/fuzz_target.h"

namespace attend::json_strings_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      R"({"a": "one. Two\n", "b": ["\u20ac\ud83d\ude00", {"c": null, "@d": "e"}], "f": -1.5e3})",
      R"({"@@locale": "en", "hi": "Hello", "@hi": {"description": "x"}})", "[[[]]]", "\"x\""};
}

std::vector<std::string> dictionary() {
  return {"{", "}",    "[",    "]",   "\"", "\\u",  "\\ud83d", "\\\"",        ":",
          ",", "true", "null", "1e5", "@",  "\xff", "\\",      "\xEF\xBB\xBF"};
}

void use(std::string_view input) {
  const std::string json(input);
  try {
    if (unchanged("a.json", json) != json || unchanged("a.arb", json) != json) std::abort();
  } catch (const DataError&) {
    if (try_parse_json(input)) std::abort();
    return;
  }
  // A translation is JSON again.
  unchanged("a.json", file_in_capitals("a.json", json));
}

const RegisteredFuzzTarget registered{{"json_strings", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::json_strings_fuzz
