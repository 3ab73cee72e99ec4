#include <gtest/gtest.h>

#include "attend/interchange/families/gguf/gguf_directory.h"
#include "attend/models/text_embedder.h"
#include "attend/tasks/embedding/model.h"
#include "checkpoint/test_folder.h"
#include "interchange/families/gguf/written_llama.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// One layer, two heads of two dimensions. The first five pieces are special.
WrittenGguf written_bert() {
  const std::vector<std::string> pieces{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                        "▁a",    "b",     "▁the",  "▁e",    "[unused1]"};
  std::vector<std::string> types(pieces.size(), bytes_of(1));
  for (std::size_t id = 0; id < 5; ++id) types[id] = bytes_of(3);
  WrittenGguf file{.entries = {{"general.architecture", gguf_string("bert")},
                               {"bert.context_length", gguf_u32(8)},
                               {"bert.embedding_length", gguf_u32(4)},
                               {"bert.block_count", gguf_u32(1)},
                               {"bert.feed_forward_length", gguf_u32(6)},
                               {"bert.attention.head_count", gguf_u32(2)},
                               {"bert.attention.layer_norm_epsilon", gguf_f32(1e-12f)},
                               {"bert.attention.causal", gguf_flag(false)},
                               {"bert.pooling_type", gguf_u32(2)},
                               {"tokenizer.ggml.model", gguf_string("bert")},
                               {"tokenizer.ggml.token_type_count", gguf_u32(2)},
                               {"tokenizer.ggml.tokens", gguf_strings(pieces)},
                               {"tokenizer.ggml.token_type", gguf_array(5, types)},
                               {"tokenizer.ggml.padding_token_id", gguf_u32(0)},
                               {"tokenizer.ggml.unknown_token_id", gguf_u32(1)},
                               {"tokenizer.ggml.cls_token_id", gguf_u32(2)},
                               {"tokenizer.ggml.seperator_token_id", gguf_u32(3)},
                               {"tokenizer.ggml.mask_token_id", gguf_u32(4)}}};
  file.tensors = {
      ramp_tensor("token_embd.weight", {pieces.size(), 4}),
      ramp_tensor("token_types.weight", {2, 4}), ramp_tensor("position_embd.weight", {8, 4}),
      ramp_tensor("token_embd_norm.weight", {4}), ramp_tensor("token_embd_norm.bias", {4})};
  for (const char* part : {"attn_q", "attn_k", "attn_v", "attn_output"}) {
    file.tensors.push_back(ramp_tensor(std::string("blk.0.") + part + ".weight", {4, 4}));
    file.tensors.push_back(ramp_tensor(std::string("blk.0.") + part + ".bias", {4}));
  }
  for (const char* part : {"attn_output_norm", "layer_output_norm"}) {
    file.tensors.push_back(ramp_tensor(std::string("blk.0.") + part + ".weight", {4}));
    file.tensors.push_back(ramp_tensor(std::string("blk.0.") + part + ".bias", {4}));
  }
  file.tensors.push_back(ramp_tensor("blk.0.ffn_up.weight", {6, 4}));
  file.tensors.push_back(ramp_tensor("blk.0.ffn_up.bias", {6}));
  file.tensors.push_back(ramp_tensor("blk.0.ffn_down.weight", {4, 6}));
  file.tensors.push_back(ramp_tensor("blk.0.ffn_down.bias", {4}));
  return file;
}

class GgufBert : public FolderTest {
 protected:
  Checkpoint imported(const WrittenGguf& file) const {
    write(path("model.gguf"), written_gguf(file));
    return import_model(path("model.gguf")).checkpoint;
  }
  EmbeddingModel embedder(const WrittenGguf& file) const { return embedding_model(imported(file)); }
  void expect_refused(const WrittenGguf& file,
                      std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(file); }, fragments);
  }
};

TEST_F(GgufBert, IsAnEmbeddingModel) {
  const Checkpoint checkpoint = imported(written_bert());
  EXPECT_EQ(checkpoint.text("attend.family"), "bert");
  const EmbeddingModel model = embedding_model(checkpoint);
  const EmbedderConfig& config = model.network->config();
  EXPECT_EQ(config.pooling, Pooling::first);
  EXPECT_TRUE(config.normalize);
  EXPECT_EQ(config.token_types, 2);
  EXPECT_EQ(config.norm.epsilon, 1e-12f);
  EXPECT_EQ(model.length.max_length, 8);
  EXPECT_EQ(checkpoint.tensor("encoder.layers.0.norm1.bias").to_vector()[1], 27.01f);
}

TEST_F(GgufBert, HasItsKindOfPooling) {
  const auto pooling = [&](std::uint32_t number) {
    return embedder(with_entry(written_bert(), "bert.pooling_type", gguf_u32(number)))
        .network->config()
        .pooling;
  };
  EXPECT_EQ(pooling(1), Pooling::mean);
  EXPECT_EQ(pooling(3), Pooling::last);
  EXPECT_EQ(pooling(0), Pooling::mean);  // with a remark
  expect_refused(with_entry(written_bert(), "bert.pooling_type", gguf_u32(4)),
                 {"bert.pooling_type", "1 (mean)"});
}

TEST_F(GgufBert, MarksWordsWhereLlamaCppMarksTheirBeginning) {
  const Tokenizer tokenizer = embedder(written_bert()).tokenizer;
  EXPECT_EQ(tokenizer.piece(6), "##b");
  EXPECT_EQ(tokenizer.piece(7), "the");
  EXPECT_EQ(tokenizer.piece(9), "[unused1]");
  EXPECT_EQ(tokenizer.encode("abb The é x"), (std::vector<std::int32_t>{5, 6, 6, 7, 8, 1}));
  EXPECT_EQ(tokenizer.encode("[SEP]", SpecialText::as_tokens), (std::vector<std::int32_t>{3}));
}

TEST_F(GgufBert, KeepsCapitalsOfAVocabularyThatHasThem) {
  WrittenGguf file = written_bert();
  std::vector<std::string> pieces{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]",
                                  "▁a",    "b",     "▁The",  "▁e",    "[unused1]"};
  file = with_entry(file, "tokenizer.ggml.tokens", gguf_strings(pieces));
  EXPECT_EQ(embedder(file).tokenizer.encode("The é the"), (std::vector<std::int32_t>{7, 1, 1}));
  file = with_entry(file, "tokenizer.ggml.normalizer.strip_accents", gguf_flag(true));
  EXPECT_EQ(embedder(file).tokenizer.encode("The é the"), (std::vector<std::int32_t>{7, 8, 1}));
  file = with_entry(file, "tokenizer.ggml.normalizer.lowercase", gguf_flag(true));
  EXPECT_EQ(embedder(file).tokenizer.encode("The é the"), (std::vector<std::int32_t>{1, 8, 1}));
}

TEST_F(GgufBert, IsRefusedForWhatNobodyReads) {
  const WrittenGguf file = written_bert();
  expect_refused(with_entry(file, "bert.attention.causal", gguf_flag(true)), {"expected false"});
  expect_refused(with_entry(file, "bert.attention.max_alibi_bias", gguf_f32(8)),
                 {"bert.attention.max_alibi_bias"});
  expect_refused(with_entry(file, "tokenizer.ggml.token_type_count", gguf_u32(3)),
                 {"tokenizer.ggml.token_type_count"});
  expect_refused(with_entry(file, "tokenizer.ggml.cls_token_id", gguf_u32(99)),
                 {"tokenizer.ggml.cls_token_id", "there is no such token"});
  expect_refused(with_entry(file, "tokenizer.ggml.bos_token_id", gguf_u32(5)),
                 {"tokenizer.ggml.cls_token_id"});
  expect_refused(with_entry(file, "tokenizer.ggml.add_sep_token", gguf_flag(false)),
                 {"tokenizer.ggml.add_sep_token"});
  expect_refused(with_entry(file, "tokenizer.ggml.model", gguf_string("gpt2")),
                 {"tokenizer.ggml.model"});
  WrittenGguf more = file;
  more.tensors.push_back(ramp_tensor("cls.weight", {4, 4}));
  expect_refused(more, {"'cls.weight'"});
}

}  // namespace
}  // namespace attend
