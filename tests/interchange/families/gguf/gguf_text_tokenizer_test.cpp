#include "attend/interchange/families/gguf/gguf_text_tokenizer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "attend/error.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

nlohmann::json unigram_metadata() {
  return {{"tokenizer.ggml.model", "t5"},
          {"tokenizer.ggml.tokens", {"<pad>", "</s>", "<unk>", "▁a"}},
          {"tokenizer.ggml.token_type", {3, 3, 2, 1}},
          {"tokenizer.ggml.scores", {0, 0, 0, -1}},
          {"tokenizer.ggml.unknown_token_id", 2},
          {"tokenizer.ggml.precompiled_charsmap", {255, 0, 254}}};
}

// The map of characters is the text "/wD+" in base64; older files have signed bytes.
TEST(GgufTextTokenizer, OfUnigramHasItsMapOfCharacters) {
  for (const int last : {254, -2}) {
    nlohmann::json metadata = unigram_metadata();
    metadata["tokenizer.ggml.precompiled_charsmap"][2] = last;
    ForeignConfig config(metadata, "m.gguf");
    const nlohmann::json file =
        nlohmann::json::parse(read_gguf_text_tokenizer(config).files.at("tokenizer.json"));
    EXPECT_EQ(file["normalizer"]["precompiled_charsmap"], "/wD+");
  }
}

TEST(GgufTextTokenizer, OfUnigramThatKeepsSpacesIsRefused) {
  for (const char* flag : {"add_space_prefix", "remove_extra_whitespaces"}) {
    nlohmann::json metadata = unigram_metadata();
    metadata[std::string("tokenizer.ggml.") + flag] = false;
    ForeignConfig config(metadata, "m.gguf");
    expect_error<DataError>([&] { read_gguf_text_tokenizer(config); }, {flag});
  }
}

}  // namespace
}  // namespace attend
