// The description of the special tokens around a pair of texts, as a model file has it: a format
// that is the same when it is read again, or a DataError.
#include <stdexcept>

#include "attend/error.h"
#include "attend/tasks/translation/pair_format.h"
#include "fuzz/fuzz_target.h"

namespace attend::pair_format_fuzz {
namespace {

constexpr PairVocabularies kSizes{.source = 20, .target = 10};

void require_in_vocabulary(const std::vector<std::int32_t>& ids, std::int32_t size) {
  for (const std::int32_t id : ids)
    if (id < 0 || id >= size) throw std::logic_error("a token outside the vocabulary");
}

void use(std::string_view text) {
  PairFormat format;
  try {
    format = read_pair_format(text, kSizes, "fuzz");
  } catch (const DataError&) {
    return;
  }
  const std::string written = pair_format_json(format);
  if (pair_format_json(read_pair_format(written, kSizes, "again")) != written)
    throw std::logic_error("a format that is not read as it was written");
  const PairSpecialTokens marks = format.of_any();
  require_in_vocabulary(marks.before_source, kSizes.source);
  require_in_vocabulary(marks.after_source, kSizes.source);
  require_in_vocabulary(marks.before_target, kSizes.target);
  if (marks.before_target.empty()) throw std::logic_error("a decoder that begins with nothing");
}

std::vector<std::string> corpus() {
  return {R"({"before_source":["source"],"behind_source":[2],"before_target":[2,"target"],)"
          R"("languages":{"de":7,"en":8},"defaults":["en","de"]})",
          R"({"before_source":[],"behind_source":[3],"before_target":[1]})",
          R"({"before_source":[],"behind_source":[3],"before_target":[1],"context":{"sentences":2,)"
          R"("separator":3,"tokens":9},"terms":{"begin":1,"end":2}})",
          R"({"before_source":[],"behind_source":[3,"source"],"before_target":["target"],)"
          R"("languages":{"x":9},"defaults":["",""]})"};
}

std::vector<std::string> dictionary() {
  return {"\"source\"",
          "\"target\"",
          "\"languages\":{",
          "\"defaults\":[",
          "\"before_target\":[]",
          "-1",
          "-2",
          "19",
          "20",
          "2147483648",
          "1.5",
          "null",
          "{",
          "}",
          "[",
          "]",
          ",",
          "\"\"",
          "\\u0000"};
}

const RegisteredFuzzTarget registered{{"pair_format", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::pair_format_fuzz
