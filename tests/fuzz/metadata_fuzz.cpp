// The readers of JSON in metadata against hostile text: options, ids and numbers, or a DataError.
#include <stdexcept>

#include "attend/checkpoint/options_json.h"
#include "attend/core/json/json.h"
#include "attend/error.h"
#include "attend/models/architecture.h"
#include "fuzz/fuzz_target.h"

namespace attend::metadata_fuzz {
namespace {

void read(const std::string& text) {
  TransformerConfig config;
  try {
    options_from_json(text, config, "fuzz");
    TransformerConfig again;
    options_from_json(options_to_json(config), again, "fuzz");
    if (options_to_json(again) != options_to_json(config))
      throw std::logic_error("options that do not read back");
  } catch (const DataError&) {
  }
  try {
    const auto json = parse_json(text, "fuzz");
    const auto copy = json;  // a walk through the whole depth, as printing is
    if (try_parse_json(copy.dump()) != json) throw std::logic_error("JSON that does not read back");
    for (const auto& entry : json) {
      json_ids(json_member(entry, "ids", "fuzz"), "fuzz");
      json_float(json_member(entry, "log_probability", "fuzz"), "fuzz");
    }
  } catch (const DataError&) {
  }
}

std::vector<std::string> corpus() {
  return {options_to_json(TransformerConfig{}),
          R"([{"ids":[1,2,3],"log_probability":-1.5e1},{"ids":[],"log_probability":0}])",
          R"({"norm":"post","dropout":0.25,"d_model":8})", "[[[[[[[[]]]]]]]]",
          R"({"a":{"b":{"c":"\u00fc\ud834\udd1e"}}})"};
}

std::vector<std::string> dictionary() {
  return {"{",
          "}",
          "[",
          "]",
          "[[[[[[[[",
          "\"",
          ":",
          ",",
          "null",
          "true",
          "1e999",
          "-1",
          "1e38",
          "1e39",
          "2147483648",
          "\\u",
          "\xff",
          "\"ids\"",
          "\"d_model\"",
          "{\"a\":{\"a\":",
          std::string("\0", 1),
          "0.1",
          "-0",
          "\\ud834",
          "9223372036854775808"};
}

void use(std::string_view input) { read(std::string(input)); }

const RegisteredFuzzTarget registered{{"metadata", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::metadata_fuzz
