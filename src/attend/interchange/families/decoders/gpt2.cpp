// GPT-2 (Radford et al. 2019) of the transformers library, and its variants such as DistilGPT2.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/families.h"
#include "attend/interchange/writing/equal_models.h"
#include "attend/models/language_transformer.h"
#include "attend/tasks/language/model.h"
#include "attend/tasks/model_file/model_reading.h"

namespace attend {

namespace {

// Weights are [in, out]; queries, keys and values share one matrix.
constexpr ForeignLayout kTransposed = ForeignLayout::transposed;
constexpr std::array kGpt2{
    NameRule{"embedding.weight", "transformer.wte.weight"},
    NameRule{"positions.weight", "transformer.wpe.weight"},
    NameRule{"decoder.layers.*.norm1.*", "transformer.h.*.ln_1.*"},
    NameRule{"decoder.layers.*.self_attn.q_proj.weight",
             "transformer.h.*.attn.c_attn.weight",
             kTransposed,
             {0, 3}},
    NameRule{"decoder.layers.*.self_attn.k_proj.weight",
             "transformer.h.*.attn.c_attn.weight",
             kTransposed,
             {1, 3}},
    NameRule{"decoder.layers.*.self_attn.v_proj.weight",
             "transformer.h.*.attn.c_attn.weight",
             kTransposed,
             {2, 3}},
    NameRule{"decoder.layers.*.self_attn.q_proj.bias",
             "transformer.h.*.attn.c_attn.bias",
             ForeignLayout::same,
             {0, 3}},
    NameRule{"decoder.layers.*.self_attn.k_proj.bias",
             "transformer.h.*.attn.c_attn.bias",
             ForeignLayout::same,
             {1, 3}},
    NameRule{"decoder.layers.*.self_attn.v_proj.bias",
             "transformer.h.*.attn.c_attn.bias",
             ForeignLayout::same,
             {2, 3}},
    NameRule{"decoder.layers.*.self_attn.out_proj.weight", "transformer.h.*.attn.c_proj.weight",
             kTransposed},
    NameRule{"decoder.layers.*.self_attn.out_proj.bias", "transformer.h.*.attn.c_proj.bias"},
    NameRule{"decoder.layers.*.norm2.*", "transformer.h.*.ln_2.*"},
    NameRule{"decoder.layers.*.feed_forward.linear1.weight", "transformer.h.*.mlp.c_fc.weight",
             kTransposed},
    NameRule{"decoder.layers.*.feed_forward.linear1.bias", "transformer.h.*.mlp.c_fc.bias"},
    NameRule{"decoder.layers.*.feed_forward.linear2.weight", "transformer.h.*.mlp.c_proj.weight",
             kTransposed},
    NameRule{"decoder.layers.*.feed_forward.linear2.bias", "transformer.h.*.mlp.c_proj.bias"},
    NameRule{"decoder.norm.*", "transformer.ln_f.*"},
    NameRule{"output_proj.weight", "lm_head.weight"},
};

LanguageTransformerConfig read_gpt2_shape(ForeignConfig& config) {
  LanguageTransformerConfig shape;
  shape.d_model = read_int(config, "n_embd", kWidths);
  shape.n_layers = read_int(config, "n_layer", kLayerCounts);
  shape.n_heads = read_int(config, "n_head", kHeadCounts);
  shape.d_ff = static_cast<int>(
      config.integer_or("n_inner", std::int64_t{4} * shape.d_model, between(1, 1e6)));
  shape.activation = read_activation(config, "activation_function");
  shape.norm.epsilon = static_cast<float>(
      config.number_or("layer_norm_epsilon", shape.norm.epsilon, between(1e-12, 1)));
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::learned;
  shape.max_positions = read_int(config, "n_positions", between(1, 1e6));
  shape.dropout = read_dropout(config, "resid_pdrop", 0.1);
  shape.attention_dropout = read_dropout(config, "attn_pdrop", 0.1);
  shape.tied = config.boolean_or("tie_word_embeddings", true);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.require("scale_attn_weights", true);
  for (const char* other :
       {"scale_attn_by_inverse_layer_idx", "reorder_and_upcast_attn", "add_cross_attention"})
    config.require(other, false);
  config.ignore({"n_ctx", "embd_pdrop", "initializer_range", "summary_activation",
                 "summary_first_dropout", "summary_proj_to_labels", "summary_type",
                 "summary_use_proj", "bos_token_id", "eos_token_id", "pad_token_id"});
  return shape;
}

}  // namespace

ForeignModel read_gpt2(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  const LanguageTransformerConfig shape = read_gpt2_shape(config);
  ForeignModel foreign =
      language_model_of(directory, config, shape, shape.max_positions, NameMap(kGpt2));
  foreign.base = "transformer.";
  foreign.ignorable.insert(foreign.ignorable.end(),
                           {"transformer.h.*.attn.bias", "transformer.h.*.attn.masked_bias"});
  return foreign;
}

namespace {

// A model of attend, in the words of GPT-2: its positions are a table, its embeddings come as they
// are.
LanguageTransformerConfig use_words_of_gpt2(const LanguageModel& model, Checkpoint& equal) {
  const LanguageTransformerConfig& shape = model.network->config();
  if (shape.positions != PositionKind::learned && shape.positions != PositionKind::rotary)
    tabulate_positions(equal, model.context.sequence_length);
  if (shape.scale_of_embeddings() != 1.0f) multiply_embeddings(equal);
  return read_options<LanguageTransformerConfig>(equal, "attend.config");
}

}  // namespace

std::optional<TextFiles> write_gpt2(const SavedModel& saved, Checkpoint& equal) {
  const auto* const model = dynamic_cast<const LanguageModel*>(&saved);
  if (model == nullptr) return std::nullopt;
  const LanguageTransformerConfig shape = use_words_of_gpt2(*model, equal);
  nlohmann::ordered_json config = language_config("gpt2", "GPT2LMHeadModel", *model, shape);
  config.update({{"n_positions", shape.max_positions},
                 {"n_embd", shape.d_model},
                 {"n_layer", shape.n_layers},
                 {"n_head", shape.n_heads},
                 {"n_inner", shape.d_ff},
                 {"activation_function", write_activation(shape.activation)},
                 {"layer_norm_epsilon", shape.norm.epsilon},
                 {"resid_pdrop", shape.dropout},
                 {"embd_pdrop", shape.dropout},
                 {"attn_pdrop", shape.attention_dropout}});
  return write_language_files(*model, config, equal);
}

}  // namespace attend
