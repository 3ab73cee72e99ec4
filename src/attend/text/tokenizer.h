// The tokenizer's named options, for internal use.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "attend/core/options/options.h"
#include "attend/tokenizer.h"

namespace attend {

inline std::span<const std::string_view> enum_names(TokenizerType) {
  static constexpr std::array<std::string_view, 6> kNames{"bpe",  "unigram",   "chars",
                                                          "word", "wordpiece", "byte-bpe"};
  return kNames;
}

inline std::span<const std::string_view> enum_names(Normalization) {
  static constexpr std::array<std::string_view, 5> kNames{"nmt_nfkc", "nfkc", "nmt_nfkc_cf",
                                                          "nfkc_cf", "identity"};
  return kNames;
}

template <class Visitor>
void fields(TokenizerOptions& o, Visitor&& visit) {
  visit("tokenizer", o.type,
        "how text becomes tokens: bpe, unigram, chars, word, wordpiece or byte-bpe");
  visit("vocab-size", o.vocab_size, kVocabularySizes,
        "vocabulary size, special tokens included; for chars: an upper limit");
  visit("character-coverage", o.character_coverage, between(0.98, 1),
        "share of the characters of the training text that get a token");
  visit("byte-fallback", o.byte_fallback,
        "write characters without a token as UTF-8 bytes instead of as unknown");
  visit("normalization", o.normalization,
        "Unicode normalization: nmt_nfkc, nfkc, nmt_nfkc_cf or nfkc_cf (also lower-case the text), "
        "or identity (none)");
  visit("pretokenized", o.pretokenized,
        "the text is already split into words by spaces: keep every word as written, without "
        "normalization");
  visit("user-symbols", o.user_symbols,
        "words that are one token each, such as the tag '<bt>' of back-translated text; for bpe, "
        "unigram, chars and word");
}

inline constexpr std::string_view kSplitSpecialTokensHelp =
    "read special tokens that are written in a text, such as [SEP], as text; without this, "
    "imported "
    "models read tokens";

// The algorithm of a tokenizer, whichever program trained it.
TokenizerType type_of(const Tokenizer& tokenizer);

}  // namespace attend
