// Phi-3, Phi-3.5 and Phi-4 of the transformers library: Llama with fused projections, of which
// Phi-4-mini rotates a part, and factors for longer texts.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/interchange/families/layer_types.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kPhi3{
    NameRule{"embedding.weight", "model.embed_tokens.weight"},
    NameRule{"decoder.layers.*.norm1.*", "model.layers.*.input_layernorm.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "model.layers.*.self_attn.o_proj.*"},
    NameRule{"decoder.layers.*.norm2.*", "model.layers.*.post_attention_layernorm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*",
             "model.layers.*.mlp.gate_up_proj.*",
             ForeignLayout::same,
             {0, 2}},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.*",
             "model.layers.*.mlp.gate_up_proj.*",
             ForeignLayout::same,
             {1, 2}},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.layers.*.mlp.down_proj.*"},
    NameRule{"decoder.norm.*", "model.norm.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

NameMap names_of_phi3(const LanguageTransformerConfig& shape) {
  NameMap names(kPhi3);
  names.add(fused_heads(shape, "model.layers.*.self_attn.qkv_proj.*", /*groups=*/1));
  return names;
}

constexpr RotaryRules kPhi3Rotary{.share = 1.0, .grows = true};

}  // namespace

ForeignModel read_phi3(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 4096, between(1, 1e6)));
  LanguageTransformerConfig shape = read_llama_shape(config, {.rotary = kPhi3Rotary});
  shape.attention_biases = AttentionBiases::none;
  config.require("attention_bias", false);
  config.require("mlp_bias", false);
  shape.dropout = read_dropout(config, "resid_pdrop", 0.0);
  config.ignore({"embd_pdrop"});
  if (config.has("sliding_window")) {
    shape.attention_window = read_int(config, "sliding_window", kWindows);
  } else {
    config.ignore({"sliding_window"});
  }
  return language_model_of(directory, config, shape, length, names_of_phi3(shape));
}

std::optional<TextFiles> write_phi3(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config =
      llama_config("phi3", "Phi3ForCausalLM", *model, shape, kPhi3Rotary);
  config["resid_pdrop"] = config["embd_pdrop"] = shape.dropout;
  config["pad_token_id"] = nullptr;
  config["sliding_window"] = nullptr;
  if (shape.attention_window > 0) config["sliding_window"] = shape.attention_window;
  return write_language_files(*model, config, equal);
}

}  // namespace attend
