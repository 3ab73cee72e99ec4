// How llama.cpp cuts a text before byte-level BPE, by the name in tokenizer.ggml.pre.
#pragma once

#include <span>
#include <string_view>

namespace attend {

struct GgufPreTokenizer {
  std::span<const std::string_view> patterns;  // each cuts what the ones before left
  bool ignores_merges = false;                 // a word that is a piece needs no merges
  bool adds_bos = false;                       // unless the file says otherwise
};

// Returns nullptr for a name that is not supported.
const GgufPreTokenizer* gguf_pre_tokenizer(std::string_view name);

}  // namespace attend
