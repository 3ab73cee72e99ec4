#include "attend/interchange/families/gguf/gguf_model.h"

#include <gtest/gtest.h>

#include "attend/checkpoint/quantization.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"
#include "checkpoint/test_folder.h"
#include "interchange/families/gguf/written_llama.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

class GgufModelFile : public FolderTest {
 protected:
  std::filesystem::path written(const WrittenGguf& file) const {
    write(path("model.gguf"), written_gguf(file));
    return path("model.gguf");
  }
  Checkpoint imported(const WrittenGguf& file) const {
    return import_model(written(file)).checkpoint;
  }
  void expect_refused(const WrittenGguf& file,
                      std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(file); }, fragments);
  }
};

TEST_F(GgufModelFile, IsALanguageModel) {
  const Checkpoint checkpoint = imported(written_llama());
  EXPECT_EQ(checkpoint.text("attend.family"), "llama");
  const LanguageModel model = language_model(checkpoint);
  EXPECT_EQ(model.context.sequence_length, 16);
  EXPECT_TRUE(model.network->config().tied);                     // there is no output.weight
  EXPECT_EQ(model.text.prefix, std::vector<std::int32_t>{257});  // as this split of text has it
  EXPECT_EQ(model.text.ends, std::vector<std::int32_t>{258});
  EXPECT_EQ(checkpoint.tensor("decoder.layers.0.feed_forward.linear2.weight").to_vector()[1],
            21.01f);
}

// llama.cpp rotates neighbors, others rotate halves.
TEST_F(GgufModelFile, HasTheRowsOfQueriesAndKeysInPairs) {
  WrittenGguf file = written_llama();
  file = with_entry(file, "llama.attention.head_count", gguf_u32(1));
  const std::vector<float> rows =
      imported(file).tensor("decoder.layers.0.self_attn.q_proj.weight").to_vector();
  const float first = 19;
  for (const auto& [row, theirs] : {std::pair{0, 0}, {1, 2}, {2, 1}, {3, 3}})
    EXPECT_EQ(rows[static_cast<std::size_t>(4 * row)], first + 0.04f * static_cast<float>(theirs));
}

TEST_F(GgufModelFile, HasTheTokensOfLlamaCpp) {
  const LanguageModel model = language_model(imported(written_llama()));
  EXPECT_EQ(
      model.tokenizer.encode("abb<s><tool>"),
      (std::vector<std::int32_t>{256, 'b' - '!' + model.tokenizer.id("!"), model.tokenizer.id("<"),
                                 model.tokenizer.id("s"), model.tokenizer.id(">"), 259}));
}

TEST_F(GgufModelFile, EndsWithEveryTokenThatEndsATextInLlamaCpp) {
  std::vector<std::string> pieces = written_pieces();
  pieces[256] = "<|im_end|>";
  WrittenGguf file = with_entry(written_llama(), "tokenizer.ggml.tokens", gguf_strings(pieces));
  file = with_entry(file, "tokenizer.ggml.merges", gguf_strings({}));
  EXPECT_EQ(language_model(imported(file)).text.ends, (std::vector<std::int32_t>{256, 258}));
  pieces[256] = "<|return|>";
  expect_refused(with_entry(file, "tokenizer.ggml.tokens", gguf_strings(pieces)),
                 {"a vocabulary with <|return|> is not supported"});
}

TEST_F(GgufModelFile, IsRefusedForWhatNobodyReads) {
  const WrittenGguf file = written_llama();
  expect_refused(with_entry(file, "llama.attention.sliding_window", gguf_u32(8)),
                 {"\"llama.attention.sliding_window\" is 8"});
  expect_refused(with_entry(file, "llama.expert_count", gguf_u32(8)), {"llama.expert_used_count"});
  expect_refused(with_entry(file, "llama.rope.dimension_count", gguf_u32(1)),
                 {"llama.rope.dimension_count"});
  expect_refused(with_entry(file, "split.count", gguf_u32(2)),
                 {"it is one of 2 files", "-00001-of-00002.gguf"});
  expect_refused(with_entry(file, "general.type", gguf_string("adapter")), {"general.type"});
  expect_refused(with_entry(file, "general.architecture", gguf_string("mamba")),
                 {"\"general.architecture\" is \"mamba\""});
  expect_refused(with_entry(file, "tokenizer.ggml.model", gguf_string("rwkv")),
                 {"tokenizer.ggml.model"});
  expect_refused(with_entry(file, "tokenizer.ggml.pre", gguf_string("other")),
                 {"tokenizer.ggml.pre", "this split of text is not supported"});
  WrittenGguf more = file;
  more.tensors.push_back(ramp_tensor("blk.0.attn_sinks.weight", {2}));
  expect_refused(more, {"'blk.0.attn_sinks.weight'"});
  WrittenGguf fewer = file;
  fewer.tensors.pop_back();
  expect_refused(fewer, {"expected a tensor 'blk.0.ffn_down.weight'"});
}

TEST_F(GgufModelFile, IsRefusedForDamagedVocabularies) {
  const WrittenGguf file = written_llama();
  std::vector<std::string> pieces = written_pieces();
  const auto expect_with = [&](std::size_t id, const char* piece, std::string_view fragment) {
    std::vector<std::string> changed = pieces;
    changed[id] = piece;
    expect_refused(with_entry(file, "tokenizer.ggml.tokens", gguf_strings(changed)), {fragment});
  };
  expect_with(256, "a", "'a' appears twice");
  expect_with(256, "\xff", "which is not UTF-8");
  expect_with(7, "other", "expected a piece for every byte");
  expect_refused(with_entry(file, "tokenizer.ggml.token_type", gguf_array(5, {bytes_of(1)})),
                 {"expected 260 types, found 1"});
  expect_refused(with_entry(file, "tokenizer.ggml.merges", gguf_strings({"ab"})),
                 {"expected two pieces, found 'ab'"});
  expect_refused(with_entry(file, "tokenizer.ggml.merges", gguf_strings({"a c"})), {"'ac'"});
  expect_refused(with_entry(file, "llama.vocab_size", gguf_u32(300)), {"llama.vocab_size"});
}

TEST_F(GgufModelFile, KeepsQuantizedWeightsInEightBits) {
  const std::filesystem::path file = written(written_wide_llama());
  const Checkpoint exact = import_model(file).checkpoint,
                   small = import_model(file, {.dequantize = false}).checkpoint;
  EXPECT_EQ(weight_bits(exact), 32);
  EXPECT_EQ(exact.tensor("embedding.weight").to_vector()[0], -0.25f);
  EXPECT_EQ(weight_bits(small), 8);
  EXPECT_EQ(language_model(small).text.ends, language_model(exact).text.ends);
  const std::filesystem::path plain = written(written_llama());
  EXPECT_EQ(weight_bits(import_model(plain, {.dequantize = false}).checkpoint), 32);
}

TEST_F(GgufModelFile, IsKnownByItsFirstBytes) {
  EXPECT_TRUE(is_gguf(written(written_llama())));
  EXPECT_FALSE(is_gguf(folder_));
  EXPECT_FALSE(is_gguf(path("none")));
  write(path("short"), "GGU");
  EXPECT_FALSE(is_gguf(path("short")));
}

}  // namespace
}  // namespace attend
