// Phi-1, Phi-1.5 and Phi-2 of the transformers library: parallel sublayers behind one
// normalization, rotations of a part of each head, and a bias of the logits.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kPhi{
    NameRule{"embedding.weight", "model.embed_tokens.weight"},
    NameRule{"decoder.layers.*.norm1.*", "model.layers.*.input_layernorm.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "model.layers.*.self_attn.dense.*"},
    NameRule{"decoder.layers.*.self_attn.v_proj.*", "model.layers.*.self_attn.v_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "model.layers.*.mlp.fc1.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.layers.*.mlp.fc2.*"},
    NameRule{"decoder.norm.*", "model.final_layernorm.*"},
    NameRule{"output_proj.*", "lm_head.*"},
};

constexpr RotaryRules kPhiRotary{.share = 0.5};

// The gains and shifts of a head are in the order of its columns.
NameMap names_of_phi(const LanguageTransformerConfig& shape) {
  NameMap names(kPhi);
  names.add(separate_heads(shape, "model.layers.*.self_attn.q_proj.*",
                           "model.layers.*.self_attn.k_proj.*"));
  const ForeignHeads one = rotated_heads(shape, 1);
  names.add(std::array{NameRule{"decoder.layers.*.self_attn.q_norm.*",
                                "model.layers.*.self_attn.q_layernorm.*",
                                ForeignLayout::same,
                                {},
                                one},
                       NameRule{"decoder.layers.*.self_attn.k_norm.*",
                                "model.layers.*.self_attn.k_layernorm.*",
                                ForeignLayout::same,
                                {},
                                one}});
  return names;
}

LanguageTransformerConfig read_phi_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  read_layer_norm_sizes(config, shape);
  shape.d_ff = read_int(config, "intermediate_size", between(1, 1e6));
  shape.n_key_heads =
      static_cast<int>(config.integer_or("num_key_value_heads", shape.n_heads, kHeadCounts));
  config.require("head_dim", shape.d_model / shape.n_heads);
  shape.activation = read_activation(config, "hidden_act");
  shape.qk_norm = config.boolean_or("qk_layernorm", false);
  shape.sublayers = Sublayers::parallel_shared;
  shape.output_bias = true;
  shape.rotary = read_rotary(config, kPhiRotary, shape.key_width());
  shape.dropout = read_dropout(config, "resid_pdrop", 0.0);
  config.ignore({"embd_pdrop"});
  return shape;
}

}  // namespace

ForeignModel read_phi(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length =
      static_cast<int>(config.integer_or("max_position_embeddings", 2048, between(1, 1e6)));
  const LanguageTransformerConfig shape = read_phi_shape(config);
  return language_model_of(directory, config, shape, length, names_of_phi(shape));
}

std::optional<TextFiles> write_phi(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = llama_config("phi", "PhiForCausalLM", *model, shape, kPhiRotary);
  config.erase("head_dim");
  config.update({{"qk_layernorm", shape.qk_norm},
                 {"layer_norm_eps", shape.norm.epsilon},
                 {"resid_pdrop", shape.dropout},
                 {"embd_pdrop", shape.dropout}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
