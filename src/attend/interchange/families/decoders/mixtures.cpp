// Decoders of the transformers library with mixtures of experts: Mixtral (Jiang et al. 2024),
// Qwen2-MoE and Qwen3-MoE.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/interchange/families/layer_types.h"
#include "attend/interchange/writing/equal_models.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

constexpr std::array kMixtralExperts{
    NameRule{"decoder.layers.*.feed_forward.router.weight",
             "model.layers.*.block_sparse_moe.gate.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear1.weight",
             "model.layers.*.block_sparse_moe.experts.*.w1.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear_gate.weight",
             "model.layers.*.block_sparse_moe.experts.*.w3.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear2.weight",
             "model.layers.*.block_sparse_moe.experts.*.w2.weight"},
};
// What transformers calls them in memory, in front of a number of an expert or the router.
constexpr std::array kMixtralAliases{
    NameAlias{".mlp.", ".block_sparse_moe."},
    NameAlias{".gate_proj.", ".w1."},
    NameAlias{".up_proj.", ".w3."},
    NameAlias{".down_proj.", ".w2."},
};

constexpr std::array kQwenExperts{
    NameRule{"decoder.layers.*.feed_forward.router.weight", "model.layers.*.mlp.gate.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear1.weight",
             "model.layers.*.mlp.experts.*.gate_proj.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear_gate.weight",
             "model.layers.*.mlp.experts.*.up_proj.weight"},
    NameRule{"decoder.layers.*.feed_forward.experts.*.linear2.weight",
             "model.layers.*.mlp.experts.*.down_proj.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared_gate.weight",
             "model.layers.*.mlp.shared_expert_gate.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared.linear1.weight",
             "model.layers.*.mlp.shared_expert.gate_proj.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared.linear_gate.weight",
             "model.layers.*.mlp.shared_expert.up_proj.weight"},
    NameRule{"decoder.layers.*.feed_forward.shared.linear2.weight",
             "model.layers.*.mlp.shared_expert.down_proj.weight"},
};

constexpr NumberRange kExperts = between(0, 1024), kInnerWidths = between(1, 1e6);
constexpr RotaryRules kMixtralRotary{.theta = 1e6};
constexpr const char *kLocalExperts = "num_local_experts", *kAllExperts = "num_experts",
                     *kPerToken = "num_experts_per_tok", *kBalance = "router_aux_loss_coef",
                     *kSparseStep = "decoder_sparse_step", *kDenseLayers = "mlp_only_layers",
                     *kExpertWidth = "moe_intermediate_size",
                     *kSharedWidth = "shared_expert_intermediate_size", *kNorm = "norm_topk_prob",
                     *kWindow = "sliding_window", *kUseWindow = "use_sliding_window";

// What all three have. Their number of heads of keys has defaults of its own.
LanguageTransformerConfig read_expert_shape(ForeignConfig& config, const LlamaDefaults& defaults,
                                            std::int64_t experts) {
  constexpr const char* kKeyHeads = "num_key_value_heads";
  if (!config.mentions(kKeyHeads)) config.refuse(kKeyHeads, "expected a number");
  LanguageTransformerConfig shape = read_llama_shape(config, defaults);
  shape.ffn_bias = false;
  config.require("mlp_bias", nullptr);
  shape.experts = static_cast<int>(experts);
  shape.router_balance = static_cast<float>(config.number_or(kBalance, 0.001, between(0, 1e3)));
  config.ignore({"output_router_logits"});
  return shape;
}

// Whether two names of one setting say the same.
std::int64_t read_expert_count(ForeignConfig& config, std::int64_t otherwise) {
  const std::int64_t count = config.integer_or(kAllExperts, otherwise, kExperts);
  if (!config.has(kLocalExperts)) return count;
  const std::int64_t local = config.integer_or(kLocalExperts, count, kExperts);
  if (config.has(kAllExperts) && local != count)
    config.refuse(kLocalExperts, fmt::format("{} is {}", kAllExperts, count));
  return local;
}

int read_expert_length(ForeignConfig& config, int otherwise) {
  return static_cast<int>(config.integer_or("max_position_embeddings", otherwise, between(1, 1e6)));
}

ForeignModel finish_mixture(const ModelDirectory& directory, ForeignConfig& config,
                            const LanguageTransformerConfig& shape, int length, NameMap names) {
  ForeignModel foreign = language_model_of(directory, config, shape, length, std::move(names));
  foreign.ignorable.push_back("model.layers.*.self_attn.rotary_emb.inv_freq");
  return foreign;
}

// Every "decoder_sparse_step"th layer has experts, but those in "mlp_only_layers".
void read_expert_layers(ForeignConfig& config, LanguageTransformerConfig& shape) {
  const auto step = static_cast<std::size_t>(config.integer_or(kSparseStep, 1, between(1, 1e6)));
  std::set<std::int64_t> dense;
  if (config.has(kDenseLayers))
    for (const std::int64_t layer : config.integers(kDenseLayers, between(-1e6, 1e6)))
      dense.insert(layer);
  std::vector<FeedForwardKind> kinds;
  for (std::size_t i = 0; i < static_cast<std::size_t>(shape.n_layers); ++i)
    kinds.push_back(shape.experts > 0 && !dense.contains(static_cast<std::int64_t>(i)) &&
                            (i + 1) % step == 0
                        ? FeedForwardKind::experts
                        : FeedForwardKind::dense);
  const auto count = std::count(kinds.begin(), kinds.end(), FeedForwardKind::experts);
  if (count == 0) shape.experts = 0;
  if (count > 0 && count < std::ssize(kinds)) shape.expert_layers = layer_pattern(kinds);
}

// What both Qwens have.
LanguageTransformerConfig read_qwen_mixture(ForeignConfig& config, int per_token, int width,
                                            std::int64_t experts) {
  LanguageTransformerConfig shape =
      read_expert_shape(config, {}, read_expert_count(config, experts));
  shape.experts_per_token =
      static_cast<int>(config.integer_or(kPerToken, per_token, between(1, 1024)));
  shape.expert_width = static_cast<int>(config.integer_or(kExpertWidth, width, kInnerWidths));
  shape.router_norm = config.boolean_or(kNorm, false);
  read_expert_layers(config, shape);
  config.ignore({"use_mrope"});
  return shape;
}

// 0: none.
int read_used_window(ForeignConfig& config) {
  config.ignore({kWindow});
  if (!config.boolean_or(kUseWindow, false)) return 0;
  const bool null = config.mentions(kWindow) && !config.has(kWindow);
  return null ? 0 : static_cast<int>(config.integer_or(kWindow, 4096, kWindows));
}

NameMap names_of_qwen() {
  NameMap names(kQwenExperts);
  names.add(names_of_llama());
  return names;
}

}  // namespace

ForeignModel read_mixtral(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  LanguageTransformerConfig shape =
      read_expert_shape(config, {.rotary = kMixtralRotary}, read_expert_count(config, 8));
  shape.experts_per_token = static_cast<int>(config.integer_or(kPerToken, 2, between(1, 1024)));
  if (shape.experts == 0) config.refuse(kLocalExperts, "expected at least one");
  shape.attention_biases = AttentionBiases::none;
  if (config.has(kWindow))
    shape.attention_window = static_cast<int>(config.integer_or(kWindow, 1, kWindows));
  config.ignore({kWindow});
  config.require("router_jitter_noise", 0.0);
  NameMap names(kMixtralExperts);
  names.add(names_of_llama());
  ForeignModel foreign = finish_mixture(directory, config, shape,
                                        read_expert_length(config, 131072), std::move(names));
  foreign.aliases = kMixtralAliases;
  return foreign;
}

// Without "layer_types", every second one of the first "max_window_layers" layers has the window.
ForeignModel read_qwen2_moe(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  LanguageTransformerConfig shape = read_qwen_mixture(config, 4, 1408, 60);
  if (shape.experts > 0)
    shape.shared_expert_width =
        static_cast<int>(config.integer_or(kSharedWidth, 5632, kInnerWidths));
  config.ignore({kSharedWidth});
  shape.attention_biases =
      config.boolean_or("qkv_bias", true) ? AttentionBiases::qkv : AttentionBiases::none;
  const int window = read_used_window(config);
  const auto last = config.integer_or("max_window_layers", 28, between(0, 1e6));
  std::vector<LayerKind> kinds(static_cast<std::size_t>(shape.n_layers), LayerKind::global);
  for (std::size_t i = 0; window > 0 && i < kinds.size() && std::int64_t(i) < last; i += 2)
    kinds[i] = LayerKind::local;
  kinds = read_layer_types(config, kinds);
  set_layers(kinds, window, shape);
  if (window == 0 && std::find(kinds.begin(), kinds.end(), LayerKind::local) != kinds.end())
    config.refuse("layer_types", "sliding_attention needs \"use_sliding_window\"");
  return finish_mixture(directory, config, shape, read_expert_length(config, 32768),
                        names_of_qwen());
}

// All layers have the window, if there is one.
ForeignModel read_qwen3_moe(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  LanguageTransformerConfig shape = read_qwen_mixture(config, 8, 768, 128);
  shape.attention_biases = read_attention_bias(config);
  shape.qk_norm = true;
  shape.attention_window = read_used_window(config);
  config.ignore({"max_window_layers"});
  return finish_mixture(directory, config, shape, read_expert_length(config, 32768),
                        names_of_qwen());
}

namespace {

bool has_dense_layers(const LanguageTransformerConfig& shape) {
  const std::vector<FeedForwardKind> kinds = shape.kinds_of_networks(shape.n_layers);
  return std::find(kinds.begin(), kinds.end(), FeedForwardKind::dense) != kinds.end();
}

// The language model with experts that it is, if it is one.
const LanguageModel* mixture_of(const SavedModel& saved) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  return model != nullptr && model->network->config().experts > 0 ? model : nullptr;
}

std::optional<TextFiles> write_qwen_mixture(const SavedModel& saved, Checkpoint& equal,
                                            std::string_view type, std::string_view architecture,
                                            bool is_third) {
  const LanguageModel* const model = mixture_of(saved);
  if (model == nullptr) return std::nullopt;
  use_words_of_llama(*model, equal);
  use_width_of_experts(equal);
  const auto shape = read_options<LanguageTransformerConfig>(equal, "attend.config");
  nlohmann::ordered_json config = llama_config(type, architecture, *model, shape);
  nlohmann::ordered_json dense = nlohmann::ordered_json::array();
  const std::vector<FeedForwardKind> networks = shape.kinds_of_networks(shape.n_layers);
  for (std::size_t i = 0; i < networks.size(); ++i)
    if (networks[i] == FeedForwardKind::dense) dense.push_back(i);
  const bool windows = shape.attention_window > 0;
  config.update({{kAllExperts, shape.experts},
                 {kPerToken, shape.experts_per_token},
                 {kExpertWidth, shape.expert_width},
                 {kNorm, shape.router_norm},
                 {kSparseStep, 1},
                 {kDenseLayers, dense},
                 {kBalance, shape.router_balance},
                 {kUseWindow, windows}});
  if (windows) config[kWindow] = shape.attention_window;
  if (is_third) {
    config["attention_bias"] = shape.attention_biases == AttentionBiases::all;
  } else {
    config[kSharedWidth] = shape.shared_expert_width;
    config["qkv_bias"] = shape.attention_biases == AttentionBiases::qkv;
    config["layer_types"] = layer_types_json(shape.kinds_of_layers(shape.n_layers));
  }
  return write_language_files(*model, config, equal);
}

}  // namespace

std::optional<TextFiles> write_mixtral(const SavedModel& saved, Checkpoint& equal) {
  const LanguageModel* const model = mixture_of(saved);
  if (model == nullptr) return std::nullopt;
  if (!has_dense_layers(use_words_of_llama(*model, equal))) use_one_width(equal);
  const auto shape = read_options<LanguageTransformerConfig>(equal, "attend.config");
  nlohmann::ordered_json config =
      llama_config("mixtral", "MixtralForCausalLM", *model, shape, kMixtralRotary);
  config.update({{kLocalExperts, shape.experts},
                 {kPerToken, shape.experts_per_token},
                 {kBalance, shape.router_balance},
                 {kWindow, nullptr}});
  if (shape.attention_window > 0) config[kWindow] = shape.attention_window;
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_qwen2_moe(const SavedModel& saved, Checkpoint& equal) {
  return write_qwen_mixture(saved, equal, "qwen2_moe", "Qwen2MoeForCausalLM", false);
}

std::optional<TextFiles> write_qwen3_moe(const SavedModel& saved, Checkpoint& equal) {
  return write_qwen_mixture(saved, equal, "qwen3_moe", "Qwen3MoeForCausalLM", true);
}

}  // namespace attend
