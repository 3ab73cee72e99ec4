#include "attend/interchange/families/gguf/gguf_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/interchange/families/gguf/gguf_experts.h"
#include "attend/interchange/families/gguf/gguf_gemma.h"
#include "attend/interchange/families/gguf/gguf_rotations.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

namespace {

constexpr const char *kArchitecture = "general.architecture", *kFirstKeyBias = "blk.0.attn_k.bias",
                     *kFirstOutputBias = "blk.0.attn_output.bias",
                     *kFirstGateBias = "blk.0.ffn_gate.bias";

enum class GgufArchitecture {
  llama,
  qwen2,
  qwen3,
  qwen2moe,
  qwen3moe,
  gemma,
  gemma2,
  gemma3,
  gpt2,
  bloom
};

// Reads the settings of one architecture.
class ConfigReader {
 public:
  ConfigReader(ForeignConfig& metadata, TensorTable& tensors, std::int64_t pieces)
      : metadata_(metadata),
        tensors_(tensors),
        pieces_(pieces),
        architecture_(static_cast<GgufArchitecture>(metadata.choice(
            kArchitecture, {"llama", "qwen2", "qwen3", "qwen2moe", "qwen3moe", "gemma", "gemma2",
                            "gemma3", "gpt2", "bloom", "bert", "t5"}))),
        prefix_(metadata.text(kArchitecture) + ".") {}

  GgufConfig read() {
    ignore_gguf_descriptions(metadata_);
    read_size();
    const bool is_gated = architecture_ < GgufArchitecture::gpt2;
    is_gated ? read_gated() : read_plain();
    read_gguf_experts(metadata_, tensors_, config_);
    return {.config = std::move(config_),
            .heads = architecture_ == GgufArchitecture::llama ? heads_ : GgufHeads{0, 0},
            .has_fused = !is_gated};
  }

 private:
  std::string key(std::string_view name) const { return fmt::format("{}{}", prefix_, name); }

  // What every architecture has.
  void read_size() {
    metadata_.require(key("vocab_size"), pieces_);
    metadata_.require(key("attention.causal"), true);
    context_ = metadata_.integer(key("context_length"), between(1, 1e6));
    width_ = metadata_.integer(key("embedding_length"), kWidths);
    layers_ = metadata_.integer(key("block_count"), kLayerCounts);
    inner_ = metadata_.integer(key("feed_forward_length"), between(1, 1e6));
    heads_.queries = metadata_.integer(key("attention.head_count"), kHeadCounts);
    heads_.keys = metadata_.integer_or(key("attention.head_count_kv"), heads_.queries, kHeadCounts);
    config_["vocab_size"] = pieces_;
    config_["tie_word_embeddings"] = !tensors_.contains("output.weight");
  }

  // Llama and its kin.
  void read_gated() {
    const std::int64_t usual = width_ / heads_.queries,
                       head = metadata_.integer_or(key("attention.key_length"), usual, kWidths);
    if (metadata_.integer_or(key("attention.value_length"), usual, kWidths) != head)
      metadata_.refuse(key("attention.value_length"),
                       fmt::format("only that of keys, {}, is supported", head));
    config_.update(
        {{"max_position_embeddings", context_},
         {"hidden_size", width_},
         {"intermediate_size", inner_},
         {"num_hidden_layers", layers_},
         {"num_attention_heads", heads_.queries},
         {"num_key_value_heads", heads_.keys},
         {"head_dim", head},
         {"hidden_act", "silu"},
         {"rms_norm_eps", read_gguf_epsilon(metadata_, key("attention.layer_norm_rms_epsilon"))}});
    if (architecture_ != GgufArchitecture::llama && tensors_.contains(kRopeFactors))
      metadata_.refuse(kArchitecture, fmt::format("{} is not supported there", kRopeFactors));
    read_gguf_rotation(metadata_, tensors_,
                       {.prefix = prefix_, .width = static_cast<int>(head), .context = context_},
                       config_);
    if (const int version = gemma_version(metadata_.text(kArchitecture)); version > 0) {
      read_gguf_gemma(metadata_, version, prefix_, config_);
    } else {
      name_gated();
    }
  }

  // A file of any of these architectures may have biases: the family is that which has the same.
  void name_gated() {
    const bool has_bias = tensors_.contains(kFirstKeyBias),
               has_output_bias = tensors_.contains(kFirstOutputBias);
    if (architecture_ == GgufArchitecture::qwen3) {
      config_["model_type"] = "qwen3";
      config_["attention_bias"] = has_bias;
    } else if (has_bias && !has_output_bias) {
      config_["model_type"] = "qwen2";
    } else {
      config_["model_type"] = "llama";
      config_["attention_bias"] = has_bias;
      config_["mlp_bias"] = tensors_.contains(kFirstGateBias);
    }
  }

  // GPT-2 and BLOOM. How much is dropped in training, files do not say.
  void read_plain() {
    metadata_.require(key("attention.head_count_kv"), heads_.queries);
    const double epsilon = read_gguf_epsilon(metadata_, key("attention.layer_norm_epsilon"));
    if (architecture_ == GgufArchitecture::bloom) {
      if (inner_ != 4 * width_)
        metadata_.refuse(key("feed_forward_length"),
                         fmt::format("only {} is supported", 4 * width_));
      config_.update({{"model_type", "bloom"},
                      {"hidden_size", width_},
                      {"n_layer", layers_},
                      {"n_head", heads_.queries},
                      {"layer_norm_epsilon", epsilon},
                      {"seq_length", context_}});
      return;
    }
    config_.update({{"model_type", "gpt2"},
                    {"n_positions", context_},
                    {"n_embd", width_},
                    {"n_layer", layers_},
                    {"n_head", heads_.queries},
                    {"n_inner", inner_},
                    {"activation_function", "gelu_new"},
                    {"layer_norm_epsilon", epsilon},
                    {"resid_pdrop", 0.0},
                    {"embd_pdrop", 0.0},
                    {"attn_pdrop", 0.0}});
  }

  ForeignConfig& metadata_;
  TensorTable& tensors_;
  std::int64_t pieces_;
  GgufArchitecture architecture_;
  std::string prefix_;
  std::int64_t context_ = 0, width_ = 0, layers_ = 0, inner_ = 0;
  GgufHeads heads_{0, 0};
  nlohmann::json config_ = nlohmann::json::object();
};

}  // namespace

void ignore_gguf_descriptions(ForeignConfig& metadata) {
  metadata.require("general.type", "model");
  for (const std::string& key : metadata.keys()) {
    const bool samples = key.starts_with("general.sampling.");
    if ((key.starts_with("general.") && !samples) || key.starts_with("quantize.imatrix."))
      metadata.ignore({key});
  }
}

double read_gguf_epsilon(ForeignConfig& metadata, const std::string& key) {
  constexpr double kLeast = 1e-12;
  return std::max(metadata.number(key, between(static_cast<double>(1e-12f), 1)), kLeast);
}

GgufConfig read_gguf_config(ForeignConfig& metadata, TensorTable& tensors, std::int64_t pieces) {
  return ConfigReader(metadata, tensors, pieces).read();
}

}  // namespace attend
