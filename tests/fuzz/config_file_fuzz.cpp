// The reader of TOML files against hostile bytes: options, or a ConfigError or DataError.
#include <array>

#include "attend/core/options/config_file.h"
#include "attend/error.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::config_file_fuzz {
namespace {

enum class Kind { post, pre };
std::span<const std::string_view> enum_names(Kind) {
  static constexpr std::array<std::string_view, 2> kNames{"post", "pre"};
  return kNames;
}

struct Options {
  bool tied = false;
  int d_model = 512;
  std::uint64_t seed = 1;
  float dropout = 0.1f;
  double value = 1e-9;
  std::string out;
  std::vector<std::string> inputs;
  Kind norm = Kind::pre;
};

template <class Visitor>
void fields(Options& o, Visitor&& visit) {
  visit("tied", o.tied, "");
  visit("d-model", o.d_model, between(-1e6, 1e6), "");
  visit("seed", o.seed, any_seed(), "");
  visit("dropout", o.dropout, below_one(), "");
  visit("value", o.value, between(-1e300, 1e300), "");
  visit("out", o.out, "");
  visit("inputs", o.inputs, "");
  visit("norm", o.norm, "");
}

std::vector<std::string> corpus() {
  return {
      "# a comment\n[model]\nd-model = 64\ndropout = 0.1\ntied = true\n\n[data]\nout = \"my "
      "run\"\ninputs = [\"a\", 'b']\n",
      "seed = 18446744073709551615\nvalue = 1e-9\nnorm = \"post\"\n",
      "inputs = [\n  \"a\",  # one\n  \"b\",\n]\n",
      "out = \"\\u00fc \\\"quoted\\\" \\\\\"\n",
      "d_model = 1_000\nout = '''\nlines\n'''\n",
      "a.b.c = { d = [1, 2], e = 1979-05-27T07:32:00Z }\n[[x]]\ny = +inf\n"};
}

std::vector<std::string> dictionary() {
  return {"\n",   "=",      "\"",      "'",        "[",          "]",
          "{",    "}",      ",",       "#",        ".",          "[[",
          "]]",   "\"\"\"", "'''",     "\\u",      "\\",         "true",
          "nan",  "inf",    "1e999",   "-1",       "0x",         "d-model",
          "tied", "seed",   "inputs",  "\xc3\xbc", "\xff",       "[[[[[[",
          "norm", "out",    "dropout", "value",    "1979-05-27", "9223372036854775808"};
}

void use(std::string_view input) {
  static const FuzzFile file;
  file.write(input);
  Options options;
  try {
    apply_config_file(file.path(), option_fields(options));
  } catch (const ConfigError&) {
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"config_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::config_file_fuzz
