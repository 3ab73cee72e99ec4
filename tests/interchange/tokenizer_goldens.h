// What Hugging Face's tokenizers make of texts: the data is in tokenizer_goldens.cpp, which
// tools/make_tokenizer_goldens.py writes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace goldens {

extern const std::vector<std::string> kTokenizedTexts;

struct ForeignTokenizerGolden {
  std::string name;
  std::string json;                               // the file tokenizer.json
  std::vector<std::vector<std::int32_t>> ids;     // of the texts, without special tokens
  std::vector<std::int32_t> with_special_tokens;  // of "The small dog reads."
};
extern const std::vector<ForeignTokenizerGolden> kForeignTokenizers;

}  // namespace goldens
