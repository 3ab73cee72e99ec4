#include "attend/interchange/families/gguf/gguf_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "attend/error.h"
#include "attend/interchange/weights/expert_tensors.h"
#include "attend/interchange/writing/equal_models.h"

namespace attend {

namespace {

constexpr std::array kExpertNames{
    NameRule{"decoder.layers.*.feed_forward.router.weight", "blk.*.ffn_gate_inp.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear1.weight",
             "blk.*.ffn_gate_exps.*.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear_gate.weight",
             "blk.*.ffn_up_exps.*.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear2.weight",
             "blk.*.ffn_down_exps.*.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared_gate.weight", "blk.*.ffn_gate_inp_shexp.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared.linear1.weight", "blk.*.ffn_gate_shexp.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared.linear_gate.weight",
             "blk.*.ffn_up_shexp.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared.linear2.weight", "blk.*.ffn_down_shexp.weight"},
};

constexpr std::string_view kMixtralInGguf = "llama", kQwen2Experts = "qwen2moe",
                           kQwen3Experts = "qwen3moe", kSharedGate = "ffn_gate_inp_shexp.weight",
                           kOutputTable = "output.weight";
constexpr const char *kExpertCount = "expert_count", *kExpertsUsed = "expert_used_count",
                     *kExpertLength = "expert_feed_forward_length",
                     *kSharedLength = "expert_shared_feed_forward_length";
constexpr NumberRange kExpertLengths = between(0, 1e6);

class ExpertReader {
 public:
  ExpertReader(ForeignConfig& metadata, const TensorTable& tensors, nlohmann::json& config)
      : metadata_(metadata), tensors_(tensors), config_(config) {}

  void read() {
    const bool always = architecture_ == kQwen2Experts || architecture_ == kQwen3Experts;
    if (!always && architecture_ != kMixtralInGguf) return require_none();
    const std::int64_t experts =
        metadata_.integer_or(key(kExpertCount), 0, between(always ? 1 : 0, 1024));
    if (experts == 0 && always) metadata_.refuse(key(kExpertCount), "expected at least one");
    if (experts == 0) return require_none();
    used_ = metadata_.integer(key(kExpertsUsed), between(1, static_cast<double>(experts)));
    for (const char* bias : {"attention_bias", "mlp_bias"}) config_.erase(bias);
    config_["num_experts"] = experts;
    config_["num_experts_per_tok"] = used_;
    if (architecture_ == kMixtralInGguf) return read_mixtral();
    read_qwen(architecture_ == kQwen2Experts);
  }

 private:
  std::string key(std::string_view name) const { return fmt::format("{}.{}", architecture_, name); }

  void require_none() {
    for (const char* count : {kExpertCount, kExpertsUsed}) metadata_.require(key(count), 0);
  }

  void read_mixtral() {
    config_["model_type"] = "mixtral";
    metadata_.require(key(kExpertLength), inner());
  }

  void read_qwen(bool is_second) {
    config_["model_type"] = is_second ? "qwen2_moe" : "qwen3_moe";
    config_["norm_topk_prob"] = !is_second;
    config_["moe_intermediate_size"] = read_width(kExpertLength, inner() / used_);
    if (!is_second) {
      config_["attention_bias"] = false;
      return;
    }
    config_["shared_expert_intermediate_size"] = read_width(kSharedLength, inner());
    config_["qkv_bias"] = tensors_.contains("blk.0.attn_k.bias");
    const std::int64_t width = config_["hidden_size"], heads = config_["num_attention_heads"];
    if (config_["head_dim"] != width / heads)
      metadata_.refuse(key("attention.key_length"),
                       fmt::format("only {} is supported there", width / heads));
    if (!tensors_.contains(kOutputTable))
      metadata_.refuse("general.architecture", fmt::format("expected a tensor {}", kOutputTable));
  }

  // 0 stands for the usual width, too.
  std::int64_t read_width(const char* name, std::int64_t usual) {
    const std::int64_t width = metadata_.integer_or(key(name), 0, kExpertLengths);
    return width == 0 ? usual : width;
  }

  std::int64_t inner() const { return config_["intermediate_size"]; }

  ForeignConfig& metadata_;
  const TensorTable& tensors_;
  nlohmann::json& config_;
  std::string architecture_ = metadata_.text("general.architecture");
  std::int64_t used_ = 0;
};

[[noreturn]] void refuse_mixture(std::string_view architecture, std::string_view what) {
  throw ConfigError(fmt::format("llama.cpp has no {} in the architecture {}", what, architecture));
}

}  // namespace

void read_gguf_experts(ForeignConfig& metadata, const TensorTable& tensors,
                       nlohmann::json& config) {
  ExpertReader(metadata, tensors, config).read();
}

std::string_view gguf_architecture_of_experts(const LanguageTransformerConfig& shape) {
  if (shape.qk_norm) return kQwen3Experts;
  return shape.shared_expert_width > 0 ? kQwen2Experts : kMixtralInGguf;
}

void use_gguf_width_of_experts(Checkpoint& model, const LanguageTransformerConfig& shape) {
  gguf_architecture_of_experts(shape) == kMixtralInGguf ? use_one_width(model)
                                                        : use_width_of_experts(model);
}

void add_gguf_experts(const LanguageTransformerConfig& shape, GgufEntries& entries) {
  const std::string_view architecture = gguf_architecture_of_experts(shape);
  const bool is_second = architecture == kQwen2Experts;
  const std::vector<FeedForwardKind> kinds = shape.kinds_of_networks(shape.n_layers);
  if (std::find(kinds.begin(), kinds.end(), FeedForwardKind::dense) != kinds.end())
    refuse_mixture(architecture, "layers without experts");
  if (shape.attention_biases != AttentionBiases::none &&
      !(is_second && shape.attention_biases == AttentionBiases::qkv))
    refuse_mixture(architecture, "such biases of attention");
  if (is_second && shape.tied) refuse_mixture(architecture, "output that is the embeddings");
  if (is_second && shape.d_key > 0 && shape.d_key * shape.n_heads != shape.d_model)
    refuse_mixture(architecture, "other width of heads than that of the model divided by them");
  const auto key = [&](const char* name) { return fmt::format("{}.{}", architecture, name); };
  entries.add_count(key(kExpertCount), shape.experts);
  entries.add_count(key(kExpertsUsed), shape.experts_per_token);
  if (shape.expert_width > 0) entries.add_count(key(kExpertLength), shape.expert_width);
  if (is_second) entries.add_count(key(kSharedLength), shape.shared_expert_width);
}

void add_gguf_expert_names(NameMap& names) { names.add(kExpertNames); }

// Files have the gate of the shared expert as a vector or as a matrix of one row.
TensorTable with_separate_gguf_experts(const TensorTable& file) {
  const TensorTable separate = with_separate_experts(file);
  TensorTable changed(file.where());
  for (ForeignTensor tensor : separate.tensors()) {
    if (tensor.name.ends_with(kSharedGate) && tensor.shape.size() == 1)
      tensor.shape.insert(tensor.shape.begin(), 1);
    changed.add(std::move(tensor));
  }
  return changed;
}

}  // namespace attend
