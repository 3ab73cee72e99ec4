// Tokenizers of every type over one small text, beside the library's own processor: what they give
// must be what it gives.
#pragma once

#include <sentencepiece_processor.h>

#include <memory>
#include <string>
#include <vector>

#include "attend/text/tokenizer.h"
#include "text/model_bytes.h"

namespace attend {

struct TokenizerUnderTest {
  std::string name;
  Tokenizer tokenizer;
  std::shared_ptr<sentencepiece::SentencePieceProcessor> library;
};

inline TokenizerUnderTest with_library(const std::string& name, const Tokenizer& tokenizer) {
  auto library = std::make_shared<sentencepiece::SentencePieceProcessor>();
  library->LoadFromSerializedProto(tokenizer.bytes()).IgnoreError();
  return {name, tokenizer, library};
}

inline std::vector<TokenizerUnderTest> small_tokenizers() {
  const std::vector<std::string> sentences{"the small dog reads a red house.",
                                           "a young woman is watching the yellow bicycles!",
                                           "der alte Mann kauft den grünen Apfel.",
                                           "ein Mädchen sieht die Straße?", "12 kites, e\u0301"};
  std::vector<TokenizerUnderTest> all;
  for (const TokenizerType type :
       {TokenizerType::bpe, TokenizerType::unigram, TokenizerType::chars, TokenizerType::word}) {
    for (const Normalization normalization : {Normalization::nmt_nfkc, Normalization::identity}) {
      for (const bool byte_fallback : {false, true}) {
        if (byte_fallback && type == TokenizerType::word) continue;
        TokenizerOptions options;
        options.type = type;
        options.vocab_size = (type == TokenizerType::word      ? 20
                              : type == TokenizerType::unigram ? 55
                                                               : 90) +
                             (byte_fallback ? 256 : 0);
        options.normalization = normalization;
        options.byte_fallback = byte_fallback;
        const auto name_of = [](auto value) {
          return std::string(enum_names(value)[static_cast<std::size_t>(value)]);
        };
        all.push_back(with_library(
            name_of(type) + " " + name_of(normalization) + (byte_fallback ? " with bytes" : ""),
            Tokenizer::train(sentences, options)));
      }
    }
  }
  return all;
}

}  // namespace attend
