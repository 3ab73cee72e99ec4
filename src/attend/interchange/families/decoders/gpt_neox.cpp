// GPT-NeoX (Black et al. 2022) of the transformers library, such as Pythia: parallel sublayers, and
// rotations of a part of each head.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::string_view kNeoXOutput = "embed_out.weight";
constexpr std::array kGptNeoX{
    NameRule{"embedding.weight", "gpt_neox.embed_in.weight"},
    NameRule{"decoder.layers.*.norm1.*", "gpt_neox.layers.*.input_layernorm.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "gpt_neox.layers.*.attention.dense.*"},
    NameRule{"decoder.layers.*.norm2.*", "gpt_neox.layers.*.post_attention_layernorm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "gpt_neox.layers.*.mlp.dense_h_to_4h.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "gpt_neox.layers.*.mlp.dense_4h_to_h.*"},
    NameRule{"decoder.norm.*", "gpt_neox.final_layer_norm.*"},
    NameRule{"output_proj.weight", kNeoXOutput},
};

constexpr RotaryRules kNeoXRotary{
    .theta_key = "rotary_emb_base", .share = 0.25, .share_key = "rotary_pct"};

LanguageTransformerConfig read_gpt_neox_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  read_layer_norm_sizes(config, shape);
  shape.d_ff = read_int(config, "intermediate_size", between(1, 1e6));
  shape.activation = read_activation(config, "hidden_act");
  shape.attention_biases =
      config.boolean_or("attention_bias", true) ? AttentionBiases::all : AttentionBiases::none;
  shape.sublayers = config.boolean_or("use_parallel_residual", true) ? Sublayers::parallel
                                                                     : Sublayers::sequential;
  shape.rotary = read_rotary(config, kNeoXRotary, shape.key_width());
  shape.dropout = read_dropout(config, "hidden_dropout", 0.0);
  return shape;
}

}  // namespace

ForeignModel read_gpt_neox(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 2048, between(1, 1e6)));
  const LanguageTransformerConfig shape = read_gpt_neox_shape(config);
  NameMap names(kGptNeoX);
  names.add(fused_heads(shape, "gpt_neox.layers.*.attention.query_key_value.*", shape.n_heads));
  ForeignModel foreign = language_model_of(directory, config, shape, length, std::move(names));
  foreign.base = "gpt_neox.";
  foreign.ignorable.insert(
      foreign.ignorable.end(),
      {"gpt_neox.layers.*.attention.bias", "gpt_neox.layers.*.attention.masked_bias",
       "gpt_neox.layers.*.attention.rotary_emb.inv_freq"});
  if (shape.tied) foreign.ignorable.push_back(kNeoXOutput);
  return foreign;
}

std::optional<TextFiles> write_gpt_neox(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config =
      llama_config("gpt_neox", "GPTNeoXForCausalLM", *model, shape, kNeoXRotary);
  for (const char* other : {"num_key_value_heads", "head_dim"}) config.erase(other);
  config.update({{"attention_bias", shape.attention_biases == AttentionBiases::all},
                 {"use_parallel_residual", shape.sublayers == Sublayers::parallel},
                 {"layer_norm_eps", shape.norm.epsilon},
                 {"hidden_dropout", shape.dropout}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
