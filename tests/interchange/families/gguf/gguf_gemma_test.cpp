#include "attend/interchange/families/gguf/gguf_gemma.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "attend/interchange/writing/gguf_export.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"
#include "checkpoint/test_folder.h"
#include "interchange/families/gguf/written_llama.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

// SentencePiece's pieces: "<unk>", "<s>", "</s>", the bytes, then some letters with scores.
void use_scores(WrittenGguf& file) {
  std::vector<std::string> pieces{"<unk>", "<s>", "</s>"},
      types{bytes_of(2), bytes_of(3), bytes_of(3)};
  for (int byte = 0; byte < 256; ++byte) {
    pieces.push_back(fmt::format("<0x{:02X}>", byte));
    types.push_back(bytes_of(6));
  }
  // The user's tokens have the score of another piece.
  for (const char* piece : {"  ", "\n\n", "▁", "a", "b", "▁a", "▁▁"}) {
    pieces.emplace_back(piece);
    types.push_back(bytes_of(pieces.size() <= 261 ? 4 : 1));
  }
  std::vector<std::string> scores(pieces.size(), gguf_ramp(1, -1000));
  scores[264] = gguf_ramp(1, -1);
  scores[265] = gguf_ramp(1, -2);
  file = with_entry(file, "tokenizer.ggml.model", gguf_string("llama"));
  file = with_entry(file, "tokenizer.ggml.tokens", gguf_strings(pieces));
  file = with_entry(file, "tokenizer.ggml.token_type", gguf_array(5, types));
  file = with_entry(file, "tokenizer.ggml.scores", gguf_array(6, scores));
  file = with_entry(file, "tokenizer.ggml.add_space_prefix", gguf_flag(false));
  file = with_entry(file, "tokenizer.ggml.bos_token_id", gguf_u32(1));
  file = with_entry(file, "tokenizer.ggml.eos_token_id", gguf_u32(2));
  file.tensors.front() = ramp_tensor("token_embd.weight", {pieces.size(), 4});
}

// A Gemma of this version with one layer.
WrittenGguf written_gemma(int version) {
  const std::string name = version == 1 ? "gemma" : fmt::format("gemma{}", version);
  WrittenGguf file = written_llama();
  for (auto& [key, value] : file.entries)
    if (key.starts_with("llama.")) key.replace(0, 5, name);
  file = with_entry(file, "general.architecture", gguf_string(name));
  use_scores(file);
  if (version > 1) {
    file.tensors.push_back(ramp_tensor("blk.0.post_attention_norm.weight", {4}));
    file.tensors.push_back(ramp_tensor("blk.0.post_ffw_norm.weight", {4}));
  }
  if (version > 2) {
    file.tensors.push_back(ramp_tensor("blk.0.attn_q_norm.weight", {2}));
    file.tensors.push_back(ramp_tensor("blk.0.attn_k_norm.weight", {2}));
  }
  return file;
}

class GgufGemma : public FolderTest {
 protected:
  Checkpoint imported(const WrittenGguf& file) const {
    write(path("model.gguf"), written_gguf(file));
    return import_model(path("model.gguf")).checkpoint;
  }
  LanguageTransformerConfig shape(const WrittenGguf& file) const {
    return language_model(imported(file)).network->config();
  }
  void expect_refused(const WrittenGguf& file,
                      std::initializer_list<std::string_view> fragments) const {
    expect_error<DataError>([&] { imported(file); }, fragments);
  }
};

TEST_F(GgufGemma, HasGainsAsTheyAre) {
  for (const auto& [version, family] : {std::pair{1, "gemma"}, {2, "gemma2"}, {3, "gemma3_text"}}) {
    const Checkpoint checkpoint = imported(written_gemma(version));
    EXPECT_EQ(checkpoint.text("attend.family"), family);
    EXPECT_EQ(checkpoint.tensor("decoder.norm.weight").to_vector()[0], 18.0f);
    EXPECT_EQ(language_model(checkpoint).network->config().scale_of_embeddings(), 2.0f);
  }
}

TEST_F(GgufGemma, HasTheWindowsAndCapsOfLlamaCpp) {
  const LanguageTransformerConfig first = shape(written_gemma(1));
  EXPECT_EQ(first.attention_window, 0);
  EXPECT_EQ(first.logit_cap, 0.0f);
  const LanguageTransformerConfig second = shape(written_gemma(2));
  EXPECT_EQ(second.attention_window, 4096);
  EXPECT_EQ(second.attention_cap, 50.0f);
  EXPECT_EQ(second.logit_cap, 30.0f);
  EXPECT_NEAR(second.attention.inverse_temperature, 0.70710678, 1e-6);
  WrittenGguf file = written_gemma(3);
  EXPECT_EQ(shape(file).attention_window, 0);
  file = with_entry(file, "gemma3.attention.sliding_window", gguf_u32(5));
  file = with_entry(file, "gemma3.final_logit_softcapping", gguf_f32(7));
  const LanguageTransformerConfig third = shape(file);
  EXPECT_EQ(third.attention_window, 5);
  EXPECT_EQ(third.attention_cap, 0.0f);
  EXPECT_EQ(third.logit_cap, 7.0f);
  EXPECT_EQ(third.local_rotary_theta, 10000.0);
  file = with_entry(file, "gemma3.attention.sliding_window_pattern", gguf_u32(1));
  EXPECT_EQ(shape(file).attention_window, 0);
  file = with_entry(file, "gemma3.attention.sliding_window_pattern",
                    gguf_array(7, {std::string(1, '\1')}));
  EXPECT_EQ(shape(file).attention_window, 5);
}

// Files do not say the scale of attention: llama.cpp knows the largest models by their depth.
TEST_F(GgufGemma, HasTheScaleOfItsDepth) {
  WrittenGguf layer = with_entry(written_gemma(2), "gemma2.attention.head_count", gguf_u32(1));
  for (const char* length : {"gemma2.attention.key_length", "gemma2.attention.value_length"})
    layer = with_entry(layer, length, gguf_u32(2));
  for (WrittenGgufTensor& tensor : layer.tensors) {
    if (tensor.name.find("attn_output") != std::string::npos)
      tensor = ramp_tensor(tensor.name, {4, 2});
    for (const char* part : {"attn_q.", "attn_k.", "attn_v."})
      if (tensor.name.find(part) != std::string::npos) tensor = ramp_tensor(tensor.name, {2, 4});
  }
  const auto with_layers = [&](std::uint32_t layers) {
    WrittenGguf file = with_entry(layer, "gemma2.block_count", gguf_u32(layers));
    for (std::uint32_t i = 1; i < layers; ++i)
      for (WrittenGgufTensor tensor : layer.tensors)
        if (tensor.name.starts_with("blk.0.")) {
          tensor.name = fmt::format("blk.{}.{}", i, tensor.name.substr(6));
          file.tensors.push_back(std::move(tensor));
        }
    return shape(file);
  };
  const LanguageTransformerConfig usual = with_layers(3), largest = with_layers(46);
  EXPECT_EQ(usual.attention_layers, "local,global");
  EXPECT_EQ(largest.attention_layers, "local,global");
  EXPECT_NEAR(usual.attention.inverse_temperature, 1 / std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(largest.attention.inverse_temperature, 0.5, 1e-6);
}

TEST_F(GgufGemma, CutsTextsAroundTheTokensOfTheUser) {
  const LanguageModel model = language_model(imported(written_gemma(3)));
  EXPECT_EQ(model.tokenizer.encode("a  b\n\n a"),
            (std::vector<std::int32_t>{262, 259, 263, 260, 264}));
}

TEST_F(GgufGemma, IsRefusedForWhatLlamaCppComputesOtherwise) {
  const WrittenGguf second = written_gemma(2), third = written_gemma(3);
  expect_refused(with_entry(second, "gemma2.rope.freq_base_swa", gguf_f32(500)),
                 {"gemma2.rope.freq_base_swa", "only that of other layers"});
  expect_refused(with_entry(second, "gemma2.attn_logit_softcapping", gguf_f32(0)),
                 {"gemma2.attn_logit_softcapping"});
  expect_refused(with_entry(third, "gemma3.attention.sliding_window_pattern",
                            gguf_array(7, {std::string(1, '\0'), std::string(1, '\1')})),
                 {"expected one for each of 1 layers"});
  WrittenGguf yarn = with_entry(third, "gemma3.rope.scaling.type", gguf_string("yarn"));
  yarn = with_entry(yarn, "gemma3.rope.scaling.factor", gguf_f32(4));
  expect_refused(yarn, {"gemma3.rope.scaling.type"});
  for (const char* name : {"rope_freqs.weight", "blk.0.attn_q.bias"}) {
    WrittenGguf more = third;
    more.tensors.push_back(ramp_tensor(name, {name[0] == 'r' ? 1u : 4u}));
    expect_refused(more, {name});
  }
  WrittenGguf untied = written_gemma(1);
  untied.tensors.push_back(untied.tensors.front());
  untied.tensors.back().name = "output.weight";
  expect_refused(untied, {"output.weight"});
}

TEST_F(GgufGemma, IsExportedAsItCame) {
  WrittenGguf file = with_entry(written_gemma(3), "gemma3.attention.sliding_window", gguf_u32(5));
  file = with_entry(file, "gemma3.rope.freq_base_swa", gguf_f32(70));
  for (const WrittenGguf& one : {written_gemma(1), written_gemma(2), file}) {
    const Checkpoint model = imported(one);
    write_gguf_model(model, GgufWeights::f32, path("written.gguf"));
    const Checkpoint again = import_model(path("written.gguf")).checkpoint;
    EXPECT_EQ(again.text("attend.config"), model.text("attend.config"));
    EXPECT_EQ(again.text("attend.family"), model.text("attend.family"));
  }
}

}  // namespace
}  // namespace attend
