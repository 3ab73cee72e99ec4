// The readers of foreign settings, YAML and JSON, against hostile text: settings, or a DataError
// that is one short line.
#include <stdexcept>

#include "attend/core/strings/utf8.h"
#include "attend/error.h"
#include "attend/interchange/foreign_config.h"
#include "attend/interchange/weights/foreign_weights.h"
#include "fuzz/fuzz_target.h"

namespace attend::foreign_config_fuzz {
namespace {

template <class Action>
void expect_one_line(const Action& action) {
  try {
    action();
  } catch (const DataError& error) {
    const std::string message = error.what();
    if (message.size() > 2000 || message.find('\n') != message.npos || !is_utf8(message))
      throw std::logic_error("an error that is not one short line");
  }
}

// `depth`: how deep settings are looked into.
void use(ForeignConfig& config, int depth) {
  expect_one_line([&] { config.require_all_known(); });
  for (const std::string& key : config.keys()) {
    expect_one_line([&] { config.integer(key, between(0, 1e15)); });
    expect_one_line([&] { config.number(key, above(-1, 1e30)); });
    expect_one_line([&] { config.integers(key, between(-5, 5)); });
    expect_one_line([&] { config.texts(key); });
    expect_one_line([&] { config.choice(key, {"gelu", "relu"}); });
    expect_one_line([&] { config.require(key, "absolute"); });
    if (depth > 0) expect_one_line([&] { use(config.object(key), depth - 1); });
  }
}

// The first byte tells the language.
void read(std::string_view text) {
  if (text.starts_with('{')) {
    expect_one_line([&] { parse_weight_map(text, "fuzz"); });
    expect_one_line([&] {
      ForeignConfig config = ForeignConfig::from_json(text, "fuzz");
      use(config, 3);
    });
  } else {
    expect_one_line([&] {
      ForeignConfig config = ForeignConfig::from_yaml(text, "fuzz");
      use(config, 0);
    });
  }
}

std::vector<std::string> corpus() {
  return {
      R"({"d_model":512,"act":"gelu","rope":{"type":"linear","factor":2.0},"ids":[1,-2],"n":null})",
      R"({"metadata":{"total_size":12},"weight_map":{"a":"b.bin","c":"d.bin"}})",
      "---\n# x\na: [1, 'b''', \"\\x84\"]\nb:\n  - 1\n  - c d\n? \"e\"\n: 5\nf: 1.5e3\ng:\n  []\n",
      "\"\\u2581\\U0001F600\": 1\n'': 2\nx y: ~\nz: true\n-: 1\n"};
}

std::vector<std::string> dictionary() {
  return {"{",       "}",        "[",
          "]",       "\"",       "'",
          ":",       ": ",       ",",
          "- ",      "? ",       "---",
          "#",       " #",       "\n",
          "\n  ",    "\r\n",     "\t",
          "\\x",     "\\u",      "\\U0010ffff",
          "\\ud800", "null",     "true",
          "1e999",   "-1",       "9223372036854775808",
          "\xff",    "\xc2\x85", "\xe2\x80\xa8",
          "&a",      "*a",       "!!str",
          "|",       ">",        "\"weight_map\":{"};
}

void use(std::string_view input) { read(input); }

const RegisteredFuzzTarget registered{{"foreign_config", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::foreign_config_fuzz
