// OPT (Zhang et al. 2022), as transformers has it.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/families.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"

namespace attend {

namespace {

constexpr std::array kOpt{
    NameRule{"embedding.weight", "model.decoder.embed_tokens.weight"},
    NameRule{"positions.weight", "model.decoder.embed_positions.weight", ForeignLayout::behind_two},
    NameRule{"decoder.layers.*.self_attn.*", "model.decoder.layers.*.self_attn.*"},
    NameRule{"decoder.layers.*.norm1.*", "model.decoder.layers.*.self_attn_layer_norm.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.*", "model.decoder.layers.*.fc1.*"},
    NameRule{"decoder.layers.*.feed_forward.linear2.*", "model.decoder.layers.*.fc2.*"},
    NameRule{"decoder.layers.*.norm2.*", "model.decoder.layers.*.final_layer_norm.*"},
    NameRule{"embedding_projection.weight", "model.decoder.project_in.weight"},
    NameRule{"decoder.narrowing.weight", "model.decoder.project_out.weight"},
    NameRule{"decoder.norm.*", "model.decoder.final_layer_norm.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

LanguageTransformerConfig read_opt_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, "hidden_size", kWidths);
  shape.d_ff = read_int(config, "ffn_dim", between(1, 1e6));
  shape.n_layers = read_int(config, "num_hidden_layers", kLayerCounts);
  shape.n_heads = read_int(config, "num_attention_heads", kHeadCounts);
  shape.activation = read_activation(config, "activation_function");
  shape.norm_first = config.boolean_or("do_layer_norm_before", true);
  if (!config.boolean_or("enable_bias", true)) {
    shape.ffn_bias = false;
    shape.attention_biases = AttentionBiases::none;
  }
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::learned;
  shape.max_positions = read_int(config, "max_position_embeddings", between(1, 1e6));
  shape.dropout = read_dropout(config, "dropout", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.tied = config.boolean_or("tie_word_embeddings", true);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  // OPT-350m has narrower embeddings and projects them.
  if (const auto width =
          static_cast<int>(config.integer_or("word_embed_proj_dim", shape.d_model, kWidths));
      width != shape.d_model)
    shape.embedding_width = width;
  config.require("layer_norm_elementwise_affine", true);
  if (config.boolean_or("_remove_final_layer_norm", false) && shape.norm_first)
    shape.norm_output = OutputNorm::off;
  config.ignore({"activation_dropout", "layerdrop", "prefix", "bos_token_id", "eos_token_id",
                 "pad_token_id"});
  return shape;
}

}  // namespace

ForeignModel read_opt(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const LanguageTransformerConfig shape = read_opt_shape(config);
  ForeignModel foreign =
      language_model_of(directory, config, shape, shape.max_positions, NameMap(kOpt));
  foreign.base = "model.";
  return foreign;
}

std::optional<TextFiles> write_opt(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig& shape = model->network->config();
  nlohmann::ordered_json config = language_config("opt", "OPTForCausalLM", *model, shape);
  config.update(
      {{"max_position_embeddings", shape.max_positions},
       {"hidden_size", shape.d_model},
       {"word_embed_proj_dim", shape.width_of_embeddings()},
       {"ffn_dim", shape.d_ff},
       {"num_hidden_layers", shape.n_layers},
       {"num_attention_heads", shape.n_heads},
       {"activation_function", write_activation(shape.activation)},
       {"do_layer_norm_before", shape.norm_first},
       {"_remove_final_layer_norm", shape.norm_first && shape.norm_output == OutputNorm::off},
       {"enable_bias", shape.ffn_bias},
       {"dropout", shape.dropout},
       {"attention_dropout", shape.attention_dropout}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
