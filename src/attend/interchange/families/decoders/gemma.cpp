// Gemma of the transformers library: normalizations before and behind every sublayer, windows in
// most layers, and gains that are stored without the 1 that is added to them.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "attend/core/json/json.h"
#include "attend/interchange/families/decoders/decoder_embedder.h"
#include "attend/interchange/families/decoders/gemma.h"
#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/interchange/families/layer_types.h"
#include "attend/interchange/sentence_transformers.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kLaterGemma{
    NameRule{"embedding.weight", "model.embed_tokens.weight"},
    NameRule{"decoder.layers.*.norm1.*", "model.layers.*.input_layernorm.*", kLessOne},
    NameRule{"decoder.layers.*.norm1_branch.*", "model.layers.*.post_attention_layernorm.*",
             kLessOne},
    NameRule{"decoder.layers.*.norm2.*", "model.layers.*.pre_feedforward_layernorm.*", kLessOne},
    NameRule{"decoder.layers.*.norm2_branch.*", "model.layers.*.post_feedforward_layernorm.*",
             kLessOne},
    NameRule{"decoder.layers.*.self_attn.q_norm.*", "model.layers.*.self_attn.q_norm.*", kLessOne},
    NameRule{"decoder.layers.*.self_attn.k_norm.*", "model.layers.*.self_attn.k_norm.*", kLessOne},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "model.layers.*.self_attn.o_proj.*"},
    NameRule{"decoder.layers.*.self_attn.*", "model.layers.*.self_attn.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "model.layers.*.mlp.gate_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.*", "model.layers.*.mlp.up_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.layers.*.mlp.down_proj.*"},
    NameRule{"decoder.norm.*", "model.norm.*", kLessOne},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

// The first version, which normalizes before sublayers only.
constexpr std::array kGemma{
    NameRule{"embedding.weight", "model.embed_tokens.weight"},
    NameRule{"decoder.layers.*.norm1.*", "model.layers.*.input_layernorm.*", kLessOne},
    NameRule{"decoder.layers.*.norm2.*", "model.layers.*.post_attention_layernorm.*", kLessOne},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "model.layers.*.self_attn.o_proj.*"},
    NameRule{"decoder.layers.*.self_attn.*", "model.layers.*.self_attn.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "model.layers.*.mlp.gate_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.*", "model.layers.*.mlp.up_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.layers.*.mlp.down_proj.*"},
    NameRule{"decoder.norm.*", "model.norm.*", kLessOne},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

// Whether tokens also see later ones: EmbeddingGemma.
constexpr const char* kBidirectional = "use_bidirectional_attention";

LanguageTransformerConfig read_gemma_shape(ForeignConfig& config, std::string_view activation) {
  ignore_common_settings(config);
  config.ignore({"cache_implementation"});
  LanguageTransformerConfig shape =
      read_unrotated_llama_shape(config, {.head_dim = 256, .activation = activation, .tied = true});
  shape.embedding_scale = 0.0f;
  shape.attention_biases =
      config.boolean_or("attention_bias", false) ? AttentionBiases::all : AttentionBiases::none;
  return shape;
}

// From the second version on.
LanguageTransformerConfig read_later_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape = read_gemma_shape(config, "hidden_activation");
  shape.norm_branch = true;
  shape.attention.inverse_temperature = read_query_scale(config);
  return shape;
}

// The last of `period` layers is global, unless the file says otherwise.
void read_gemma_layers(ForeignConfig& config, std::size_t period,
                       LanguageTransformerConfig& shape) {
  std::vector<LayerKind> kinds(static_cast<std::size_t>(shape.n_layers), LayerKind::local);
  for (std::size_t i = period - 1; i < kinds.size(); i += period) kinds[i] = LayerKind::global;
  set_layers(read_layer_types(config, kinds),
             static_cast<int>(config.integer_or("sliding_window", 4096, kWindows)), shape);
}

constexpr LayeredRotaryRules kGemma3Rotary{.global_key = "rope_theta",
                                           .global_theta = 1e6,
                                           .local_key = "rope_local_base_freq",
                                           .local_theta = 1e4};

int read_gemma_length(ForeignConfig& config, int otherwise) {
  return static_cast<int>(config.integer_or("max_position_embeddings", otherwise, between(1, 1e6)));
}

}  // namespace

float read_query_scale(ForeignConfig& config) {
  return static_cast<float>(
      1 / std::sqrt(config.number_or("query_pre_attn_scalar", 256, above(0, 1e9))));
}

std::int64_t query_scalar(const StackConfig& shape) {
  const double beta = shape.attention.inverse_temperature;
  return static_cast<std::int64_t>(beta == 0 ? shape.key_width() : std::round(1 / (beta * beta)));
}

float read_gemma_cap(ForeignConfig& config, std::string_view key, double otherwise) {
  if (config.mentions(key) && !config.has(key)) otherwise = 0;
  return static_cast<float>(config.number_or(key, otherwise, above(0, 1e6)));
}

nlohmann::ordered_json gemma_cap(float cap) {
  return cap > 0 ? nlohmann::ordered_json(cap) : nlohmann::ordered_json();
}

void round_gains(Checkpoint& equal, const NameMap& names) {
  for (NamedTensor& tensor : equal.tensors) {
    const std::optional<ForeignName> theirs = names.find(tensor.name);
    if (!theirs || theirs->layout != kLessOne) continue;
    std::vector<float> gains = tensor.tensor.to_vector();
    for (float& gain : gains) gain = (gain - 1.0f) + 1.0f;
    tensor.tensor = Tensor::from(gains, tensor.tensor.shape());
  }
}

ForeignModel read_gemma(const ModelDirectory& directory, ForeignConfig& config) {
  config.require(kBidirectional, false);
  LanguageTransformerConfig shape = read_gemma_shape(config, "hidden_act");
  config.ignore({"hidden_activation"});
  shape.rotary = read_rotary(config);
  return language_model_of(directory, config, shape, read_gemma_length(config, 8192),
                           NameMap(kGemma));
}

ForeignModel read_gemma2(const ModelDirectory& directory, ForeignConfig& config) {
  config.require(kBidirectional, false);
  LanguageTransformerConfig shape = read_later_shape(config);
  config.ignore({"hidden_act"});
  shape.rotary = read_rotary(config);
  shape.attention_cap = read_gemma_cap(config, "attn_logit_softcapping", 50);
  shape.logit_cap = read_gemma_cap(config, "final_logit_softcapping", 30);
  read_gemma_layers(config, 2, shape);
  return language_model_of(directory, config, shape, read_gemma_length(config, 8192),
                           NameMap(kLaterGemma));
}

ForeignModel read_gemma3(const ModelDirectory& directory, ForeignConfig& config) {
  LanguageTransformerConfig shape = read_later_shape(config);
  shape.qk_norm = true;
  read_gemma_layers(
      config,
      static_cast<std::size_t>(config.integer_or("sliding_window_pattern", 6, between(1, 1e6))),
      shape);
  config.ignore({"_sliding_window_pattern"});
  read_layered_rotary(config, kGemma3Rotary, shape);
  // transformers does not heed this one.
  config.require("attn_logit_softcapping", nullptr);
  shape.logit_cap = read_gemma_cap(config, "final_logit_softcapping", 0);
  const int length = read_gemma_length(config, 131072);
  if (!config.boolean_or(kBidirectional, false))
    return language_model_of(directory, config, shape, length, NameMap(kLaterGemma));
  if (!is_sentence_transformer(directory))
    config.refuse(kBidirectional, "true is supported with modules.json, for vectors of texts");
  // The file has the sum of both sides of a window.
  if (shape.attention_window > 0) shape.attention_window = shape.attention_window / 2 + 1;
  shape.logit_cap = 0;
  return decoder_embedder(directory, shape, length, NameMap(kLaterGemma), Direction::both);
}

namespace {

nlohmann::ordered_json gemma_config(std::string_view type, std::string_view architecture,
                                    const LanguageModel& model) {
  const LanguageTransformerConfig shape = model.network->config();
  nlohmann::ordered_json config = llama_config(type, architecture, model, shape);
  if (shape.activation == Activation::gelu_tanh) config["hidden_act"] = "gelu_pytorch_tanh";
  config["attention_bias"] = shape.attention_biases == AttentionBiases::all;
  return config;
}

// From the second version on.
nlohmann::ordered_json later_config(std::string_view type, std::string_view architecture,
                                    const LanguageModel& model) {
  const LanguageTransformerConfig shape = model.network->config();
  nlohmann::ordered_json config = gemma_config(type, architecture, model);
  config["hidden_activation"] = config["hidden_act"];
  config.erase("hidden_act");
  config["query_pre_attn_scalar"] = query_scalar(shape);
  config["layer_types"] = layer_types_json(shape.kinds_of_layers(shape.n_layers));
  if (shape.attention_window > 0) config["sliding_window"] = shape.attention_window;
  config["final_logit_softcapping"] = gemma_cap(shape.logit_cap);
  return config;
}

}  // namespace

std::optional<TextFiles> write_gemma(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  round_gains(equal, NameMap(kGemma));
  return write_language_files(*model, gemma_config("gemma", "GemmaForCausalLM", *model), equal);
}

std::optional<TextFiles> write_gemma2(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  nlohmann::ordered_json config = later_config("gemma2", "Gemma2ForCausalLM", *model);
  config["attn_logit_softcapping"] = gemma_cap(model->network->config().attention_cap);
  round_gains(equal, NameMap(kLaterGemma));
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_gemma3(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = model->network->config();
  nlohmann::ordered_json config = later_config("gemma3_text", "Gemma3ForCausalLM", *model);
  config["rope_local_base_freq"] =
      shape.local_rotary_theta > 0 ? shape.local_rotary_theta : shape.rotary.theta;
  round_gains(equal, NameMap(kLaterGemma));
  return write_language_files(*model, config, equal);
}

std::optional<TextFiles> write_gemma3_or_embedder(const SavedModel& saved, Checkpoint& equal) {
  if (auto files = write_decoder<write_gemma3>(saved, equal)) return files;
  auto files = write_decoder_embedder(saved, write_gemma3, equal, Direction::both);
  if (!files) return std::nullopt;
  std::string& text = (*files)["config.json"];
  nlohmann::ordered_json config = parse_json(text, "config.json");
  config[kBidirectional] = true;
  if (const auto window = config.find("sliding_window"); window != config.end())
    *window = 2 * (window->get<int>() - 1);
  text = write_json(config);
  return files;
}

}  // namespace attend
