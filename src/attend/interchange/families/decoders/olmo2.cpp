// OLMo 2 of the transformers library: Llama whose sublayers are normalized behind themselves, and
// whose queries and keys are normalized over all heads of a token.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kOlmo2{
    NameRule{"embedding.weight", "model.embed_tokens.weight"},
    NameRule{"decoder.layers.*.norm1_branch.*", "model.layers.*.post_attention_layernorm.*"},
    NameRule{"decoder.layers.*.norm2_branch.*", "model.layers.*.post_feedforward_layernorm.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "model.layers.*.self_attn.o_proj.*"},
    NameRule{"decoder.layers.*.self_attn.*", "model.layers.*.self_attn.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "model.layers.*.mlp.gate_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.*", "model.layers.*.mlp.up_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.layers.*.mlp.down_proj.*"},
    NameRule{"decoder.norm.*", "model.norm.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

}  // namespace

ForeignModel read_olmo2(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 2048, between(1, 1e6)));
  LanguageTransformerConfig shape = read_llama_shape(config);
  config.require("mlp_bias", false);
  shape.attention_biases = read_attention_bias(config);
  shape.norm_first = false;
  shape.norm_branch = shape.qk_norm = true;
  shape.qk_norm_span = QkNormSpan::all;
  return language_model_of(directory, config, shape, length, NameMap(kOlmo2));
}

std::optional<TextFiles> write_olmo2(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("olmo2", "Olmo2ForCausalLM", *model, shape);
  config["attention_bias"] = shape.attention_biases == AttentionBiases::all;
  config["pad_token_id"] = nullptr;
  return write_language_files(*model, config, equal);
}

}  // namespace attend
