#include "attend/interchange/families/gguf/gguf_experts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "attend/error.h"
#include "attend/interchange/foreign_model.h"
#include "attend/interchange/writing/gguf_export.h"
#include "attend/tasks/language/model.h"
#include "checkpoint/test_folder.h"
#include "interchange/families/gguf/written_llama.h"
#include "tensor/expect_error.h"

namespace attend {
namespace {

void add_networks(WrittenGguf& file, const std::string& name, std::vector<std::uint64_t> stack,
                  std::uint64_t width) {
  const auto with = [&](std::uint64_t rows, std::uint64_t columns) {
    std::vector<std::uint64_t> shape = stack;
    shape.insert(shape.end(), {rows, columns});
    return shape;
  };
  file.tensors.push_back(ramp_tensor("blk.0.ffn_gate" + name + ".weight", with(width, 4)));
  file.tensors.push_back(ramp_tensor("blk.0.ffn_up" + name + ".weight", with(width, 4)));
  file.tensors.push_back(ramp_tensor("blk.0.ffn_down" + name + ".weight", with(4, width)));
}

// Three experts of this width, two of which compute a token, in one layer.
WrittenGguf written_mixture(const std::string& architecture, std::uint64_t width) {
  WrittenGguf file = written_llama();
  for (auto& [key, value] : file.entries)
    if (key.starts_with("llama.")) key.replace(0, 5, architecture);
  file = with_entry(file, "general.architecture", gguf_string(architecture));
  file = with_entry(file, architecture + ".expert_count", gguf_u32(3));
  file = with_entry(file, architecture + ".expert_used_count", gguf_u32(2));
  std::erase_if(file.tensors, [](const WrittenGgufTensor& tensor) {
    return tensor.name.find("ffn_gate") != tensor.name.npos ||
           tensor.name.find("ffn_up") != tensor.name.npos ||
           tensor.name.find("ffn_down") != tensor.name.npos;
  });
  file.tensors.push_back(ramp_tensor("blk.0.ffn_gate_inp.weight", {3, 4}));
  add_networks(file, "_exps", {3}, width);
  if (architecture == "qwen2moe") {
    add_networks(file, "_shexp", {}, 6);
    file.tensors.push_back(ramp_tensor("blk.0.ffn_gate_inp_shexp.weight", {4}));
    file.tensors.push_back(ramp_tensor("output.weight", {written_pieces().size(), 4}));
  }
  if (architecture == "qwen3moe")
    for (const char* part : {"q", "k"})
      file.tensors.push_back(ramp_tensor(fmt::format("blk.0.attn_{}_norm.weight", part), {2}));
  return file;
}

class GgufExperts : public FolderTest {
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
  // Why the model of a file with another setting is not written.
  void expect_not_written(const WrittenGguf& file, std::string_view from, std::string_view to,
                          std::initializer_list<std::string_view> fragments) const {
    Checkpoint model = imported(file);
    std::string& config = model.metadata.at("attend.config");
    const std::size_t at = config.find(from);
    ASSERT_NE(at, config.npos) << config;
    config.replace(at, from.size(), to);
    expect_error<ConfigError>([&] { write_gguf_model(model, GgufWeights::f32, path("x.gguf")); },
                              fragments);
  }
};

TEST_F(GgufExperts, AreThoseOfTheArchitecture) {
  const LanguageTransformerConfig mixtral = shape(written_mixture("llama", 6)),
                                  second = shape(written_mixture("qwen2moe", 3)),
                                  third = shape(written_mixture("qwen3moe", 3));
  for (const LanguageTransformerConfig* one : {&mixtral, &second, &third}) {
    EXPECT_EQ(one->experts, 3);
    EXPECT_EQ(one->experts_per_token, 2);
    EXPECT_EQ(one->d_ff, 6);
  }
  EXPECT_TRUE(mixtral.router_norm);
  EXPECT_FALSE(second.router_norm);
  EXPECT_TRUE(third.router_norm);
  EXPECT_EQ(mixtral.expert_width, 0);
  EXPECT_EQ(second.expert_width, 3);  // the width of one network for the experts of a token
  EXPECT_EQ(second.shared_expert_width, 6);
  EXPECT_EQ(third.expert_width, 3);
  EXPECT_TRUE(third.qk_norm);
}

TEST_F(GgufExperts, AreSlicesOfAStack) {
  const Checkpoint model = imported(written_mixture("llama", 6));
  const std::string path = "decoder.layers.0.feed_forward.";
  const float first = std::string("blk.0.ffn_gate_exps.weight").size();
  EXPECT_EQ(model.tensor(path + "experts.2.linear1.weight").to_vector()[1],
            first + 0.01f * (2 * 24 + 1));
  EXPECT_EQ(model.tensor(path + "experts.1.linear2.weight").shape(), Shape({4, 6}));
  EXPECT_EQ(model.tensor(path + "router.weight").shape(), Shape({3, 4}));
}

// The gate of the shared expert is a vector there, which some files have as a matrix of one row.
TEST_F(GgufExperts, MayShareANetworkBehindAGate) {
  WrittenGguf file = written_mixture("qwen2moe", 5);
  file = with_entry(file, "qwen2moe.expert_feed_forward_length", gguf_u32(5));
  const std::string gate = "decoder.layers.0.feed_forward.shared_gate.weight";
  const std::vector<float> values = imported(file).tensor(gate).to_vector();
  EXPECT_EQ(shape(file).expert_width, 5);
  for (WrittenGgufTensor& tensor : file.tensors)
    if (tensor.name.ends_with("inp_shexp.weight")) tensor.shape = {1, 4};
  EXPECT_EQ(imported(file).tensor(gate).to_vector(), values);
}

TEST_F(GgufExperts, AreRefusedWhereLlamaCppHasNone) {
  const WrittenGguf mixtral = written_mixture("llama", 6), second = written_mixture("qwen2moe", 3),
                    third = written_mixture("qwen3moe", 3);
  expect_refused(with_entry(mixtral, "llama.expert_used_count", gguf_u32(4)),
                 {"llama.expert_used_count", "4"});
  expect_refused(with_entry(mixtral, "llama.expert_feed_forward_length", gguf_u32(5)),
                 {"llama.expert_feed_forward_length"});
  expect_refused(with_entry(mixtral, "llama.expert_weights_scale", gguf_f32(2)),
                 {"llama.expert_weights_scale"});
  expect_refused(with_entry(third, "qwen3moe.expert_count", gguf_u32(0)),
                 {"qwen3moe.expert_count"});
  expect_refused(with_entry(second, "qwen2moe.attention.key_length", gguf_u32(4)),
                 {"qwen2moe.attention"});
  WrittenGguf gemma = written_llama();
  for (auto& [key, value] : gemma.entries)
    if (key.starts_with("llama.")) key.replace(0, 5, "qwen2");
  gemma = with_entry(gemma, "general.architecture", gguf_string("qwen2"));
  expect_refused(with_entry(gemma, "qwen2.expert_count", gguf_u32(8)), {"qwen2.expert_count"});
  WrittenGguf tied = second;
  tied.tensors.pop_back();
  expect_refused(tied, {"expected a tensor output.weight"});
  WrittenGguf biased = third;
  biased.tensors.push_back(ramp_tensor("blk.0.attn_k.bias", {4}));
  expect_refused(biased, {"blk.0.attn_k.bias"});
  WrittenGguf factors = third;
  factors.tensors.push_back(ramp_tensor("rope_freqs.weight", {1}));
  expect_refused(factors, {"rope_freqs.weight is not supported there"});
}

TEST_F(GgufExperts, AreExportedAsTheyCame) {
  for (const WrittenGguf& file : {written_mixture("llama", 6), written_mixture("qwen2moe", 3),
                                  written_mixture("qwen3moe", 3)}) {
    const Checkpoint model = imported(file);
    write_gguf_model(model, GgufWeights::f32, path("written.gguf"));
    const Checkpoint again = import_model(path("written.gguf")).checkpoint;
    for (const auto& [key, value] : model.metadata) EXPECT_EQ(again.text(key), value) << key;
    const LanguageModel ours = language_model(model);
    for (const ParameterSet::Entry& entry : ours.parameters().entries())
      EXPECT_EQ(model.tensor(entry.name).to_vector(), again.tensor(entry.name).to_vector())
          << entry.name;
  }
}

TEST_F(GgufExperts, AreNotWrittenWhereLlamaCppComputesOtherwise) {
  expect_not_written(written_mixture("qwen2moe", 3), R"("router_norm":false)",
                     R"("router_norm":true)", {"router-norm is true instead of false"});
  expect_not_written(written_mixture("qwen3moe", 3), R"("router_norm":true)",
                     R"("router_norm":false)", {"router-norm is false instead of true"});
}

// Files of these would not be loaded.
TEST_F(GgufExperts, AreNotWrittenWhereLlamaCppHasNoTensors) {
  LanguageTransformerConfig usual;
  usual.experts = 4;
  usual.attention_biases = AttentionBiases::none;
  usual.shared_expert_width = 8;
  usual.tied = false;
  GgufEntries entries;
  EXPECT_NO_THROW(add_gguf_experts(usual, entries));
  const auto expect_none = [&](std::string_view what, auto change) {
    LanguageTransformerConfig shape = usual;
    change(shape);
    expect_error<ConfigError>([&] { add_gguf_experts(shape, entries); }, {what});
  };
  expect_none("layers without experts", [](auto& shape) { shape.expert_layers = "dense,experts"; });
  expect_none("biases of attention",
              [](auto& shape) { shape.attention_biases = AttentionBiases::all; });
  expect_none("output that is the embeddings", [](auto& shape) { shape.tied = true; });
  expect_none("width of heads", [](auto& shape) { shape.d_key = 7; });
  expect_none("biases of attention", [](auto& shape) {
    shape.attention_biases = AttentionBiases::qkv;
    shape.qk_norm = true;
  });
}

}  // namespace
}  // namespace attend
