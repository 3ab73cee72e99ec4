// How llama.cpp cuts a text before byte-level BPE, by the name in tokenizer.ggml.pre.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace attend {

struct GgufPreTokenizer {
  std::span<const std::string_view> patterns;  // each cuts what the ones before left
  bool ignores_merges = false;                 // a word that is a piece needs no merges
  bool adds_bos = false;                       // unless the file says otherwise
};

// Returns nullptr for a name that is not supported.
const GgufPreTokenizer* gguf_pre_tokenizer(std::string_view name);

// The name of the split with these patterns; nullopt: there is none. \p{N} and GPT-2's pattern may
// have the spelling of others.
std::optional<std::string_view> gguf_pre_tokenizer_with(const std::vector<std::string>& patterns,
                                                        bool ignores_merges);

}  // namespace attend
