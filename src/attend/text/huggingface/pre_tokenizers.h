// The pre-tokenizers of Hugging Face's tokenizers: steps that cut normalized text into parts, which
// a model then cuts into tokens one by one. Private to text/.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/text/huggingface/aligned_text.h"

namespace attend::detail {

struct CutText {
  struct Part {
    std::size_t begin, end;   // bytes of `text`
    std::int32_t token = -1;  // what the part is as a whole; -1: it has still to be cut
  };
  AlignedText text;
  std::vector<Part> parts;  // none is empty
};

using PreTokenizerStep = std::function<void(CutText&)>;

// The steps of a list of objects, each as a tokenizer.json has it: Metaspace, ByteLevel,
// WhitespaceSplit, Whitespace, BertPreTokenizer, Punctuation, Digits, CharDelimiterSplit and Split.
// Throws DataError that begins with `where` and names what is not supported.
std::vector<PreTokenizerStep> read_pre_tokenizers(const nlohmann::json& list,
                                                  const std::string& where);

}  // namespace attend::detail
