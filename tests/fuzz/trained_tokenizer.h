// What the fuzz targets of our own tokenizers have in common: tokenizers as hostile bytes, with a
// text after a zero byte, are refused with a DataError, or they encode and decode any text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "attend/core/strings/utf8.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/json_mutation.h"
#include "fuzz/tokenizer_use.h"

namespace attend {

inline std::string trained(TokenizerType type, Normalization normalization, bool pretokenized) {
  static const std::vector<std::string> kSentences{
      "The small dog reads a red house.", "A young woman's watching 12 bicycles!",
      "Der alte Mann kauft den grünen Apfel.", "京都 e\u0301 …"};
  TokenizerOptions options;
  options.type = type;
  options.vocab_size = type == TokenizerType::byte_bpe ? 290 : 90;
  options.normalization = normalization;
  options.pretokenized = pretokenized;
  return Tokenizer::train(kSentences, options).bytes();
}

inline std::vector<std::string> trained_corpus(TokenizerType type) {
  return {trained(type, Normalization::nmt_nfkc, false) + '\0' + "The dog's  Ａpfel.",
          trained(type, Normalization::nfkc_cf, false) + '\0' + "ÄÖ\n\n\u00A0x\xFF",
          trained(type, Normalization::identity, true) + '\0' + "a red  house"};
}

inline std::vector<std::string> tokenizer_dictionary() {
  return {"nfc",       "nfkd",
          "##a",       "##",
          "a",         "",
          "Ġ",         "<s>",
          "(a|aa)+$",  "\\s+(?!\\S)",
          "\\p{L}",    "[",
          "(?=.*x)",   " ?[^ ]+",
          "y*",        std::string("\0", 1),
          "京",        "\u0301",
          "\xFF",      "\"merges\"",
          "\"added\"", "\"unk\"",
          "[4,5]",     "true"};
}

inline void use_trained_tokenizer(std::string_view input) {
  const std::size_t end = input.find('\0');
  try {
    use_tokenizer(Tokenizer::from_bytes(input.substr(0, end)),
                  end == input.npos ? "" : input.substr(end + 1));
  } catch (const DataError&) {
  }
}

}  // namespace attend
