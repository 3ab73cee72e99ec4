// GPT-J (Wang & Komatsuzaki 2021) of the transformers library: parallel sublayers behind one
// normalization, rotations of adjacent columns, and a bias of the logits.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kGptJ{
    NameRule{"embedding.weight", "transformer.wte.weight"},
    NameRule{"decoder.layers.*.norm1.*", "transformer.h.*.ln_1.*"},
    NameRule{"decoder.layers.*.self_attn.out_proj.*", "transformer.h.*.attn.out_proj.*"},
    NameRule{"decoder.layers.*.self_attn.v_proj.*", "transformer.h.*.attn.v_proj.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "transformer.h.*.mlp.fc_in.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "transformer.h.*.mlp.fc_out.*"},
    NameRule{"decoder.norm.*", "transformer.ln_f.*"},
    NameRule{"output_proj.*", "lm_head.*"},
};

LanguageTransformerConfig read_gptj_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, "n_embd", kWidths);
  shape.n_layers = read_int(config, "n_layer", kLayerCounts);
  shape.n_heads = read_int(config, "n_head", kHeadCounts);
  shape.d_ff = static_cast<int>(
      config.integer_or("n_inner", std::int64_t{4} * shape.d_model, between(1, 1e6)));
  shape.activation = read_activation(config, "activation_function");
  shape.attention_biases = AttentionBiases::none;
  shape.norm.epsilon =
      static_cast<float>(config.number_or("layer_norm_epsilon", 1e-5, between(1e-12, 1)));
  shape.embedding_scale = 1.0f;
  shape.sublayers = Sublayers::parallel_shared;
  shape.positions = PositionKind::rotary;
  const int head = shape.d_model / shape.n_heads;
  const auto rotated =
      static_cast<int>(config.integer_or("rotary_dim", 64, between(2, kWidths.most)));
  if (rotated > head || rotated % 2 != 0)
    config.refuse("rotary_dim", "expected an even number up to the width of a head");
  shape.rotary.width = rotated == head ? 0 : rotated;
  shape.output_bias = true;
  shape.dropout = read_dropout(config, "resid_pdrop", 0.0);
  shape.attention_dropout = read_dropout(config, "attn_pdrop", 0.0);
  shape.tied = config.boolean_or("tie_word_embeddings", false);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("rotary", true);
  config.require("scale_attn_weights", true);
  config.ignore({"embd_pdrop", "initializer_range", "summary_activation", "summary_first_dropout",
                 "summary_proj_to_labels", "summary_type", "summary_use_proj", "bos_token_id",
                 "eos_token_id", "pad_token_id"});
  return shape;
}

}  // namespace

ForeignModel read_gptj(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const int length = static_cast<int>(config.integer_or("n_positions", 2048, between(1, 1e6)));
  const LanguageTransformerConfig shape = read_gptj_shape(config);
  NameMap names(kGptJ);
  names.add(separate_heads(shape, "transformer.h.*.attn.q_proj.*", "transformer.h.*.attn.k_proj.*",
                           /*adjacent=*/true));
  ForeignModel foreign = language_model_of(directory, config, shape, length, std::move(names));
  foreign.base = "transformer.";
  foreign.ignorable.insert(foreign.ignorable.end(),
                           {"transformer.h.*.attn.bias", "transformer.h.*.attn.masked_bias"});
  return foreign;
}

std::optional<TextFiles> write_gptj(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_llama(*model, equal);
  nlohmann::ordered_json config = language_config("gptj", "GPTJForCausalLM", *model, shape);
  config.update({{"n_positions", model->context.sequence_length},
                 {"n_embd", shape.d_model},
                 {"n_layer", shape.n_layers},
                 {"n_head", shape.n_heads},
                 {"n_inner", shape.d_ff},
                 {"rotary_dim", shape.rotary.width > 0 ? shape.rotary.width : shape.key_width()},
                 {"activation_function", write_activation(shape.activation)},
                 {"layer_norm_epsilon", shape.norm.epsilon},
                 {"resid_pdrop", shape.dropout},
                 {"embd_pdrop", shape.dropout},
                 {"attn_pdrop", shape.attention_dropout}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
