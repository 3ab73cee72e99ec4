// NomicBERT (Nussbaum et al. 2024), as transformers has it, and with the settings of its authors:
// BERT with rotary positions, gated feed-forward networks and few biases.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/llama_family.h"
#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"

namespace attend {

namespace {

constexpr NameRule nomic_projection(std::string_view ours, int index) {
  return {ours, "encoder.layers.*.attn.Wqkv.*", ForeignLayout::same, {index, 3}};
}

constexpr std::array kNomicBert{
    NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"token_types.weight", "embeddings.token_type_embeddings.weight",
             ForeignLayout::first_rows},
    NameRule{"norm.*", "emb_ln.*"},
    nomic_projection("encoder.layers.*.self_attn.q_proj.*", 0),
    nomic_projection("encoder.layers.*.self_attn.k_proj.*", 1),
    nomic_projection("encoder.layers.*.self_attn.v_proj.*", 2),
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "encoder.layers.*.attn.out_proj.*"},
    NameRule{"encoder.layers.*.norm1.*", "encoder.layers.*.norm1.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*", "encoder.layers.*.mlp.fc12.*"},
    NameRule{"encoder.layers.*.feed_forward.linear_gate.*", "encoder.layers.*.mlp.fc11.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "encoder.layers.*.mlp.fc2.*"},
    NameRule{"encoder.layers.*.norm2.*", "encoder.layers.*.norm2.*"},
};

constexpr std::array kNomicHead{
    NameRule{"head.*", "nomic_bert.pooler.dense.*"},
    NameRule{"output.*", "classifier.*"},
};

constexpr std::array<std::string_view, 4> kNomicIgnorable{
    "cls.predictions.bias", "cls.predictions.transform.*.*", "cls.predictions.decoder.*",
    "*.inv_freq"};

constexpr double kNomicTheta = 1000.0;

// What both forms of the settings leave unsaid.
void set_nomic_layers(EncoderConfig& shape) {
  shape.norm_embedding = true;
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::rotary;
  shape.gated_ffn = true;
  shape.ffn_bias = false;
  shape.attention_biases = AttentionBiases::none;
}

// The names of GPT-2's settings, which the authors began with.
EncoderConfig read_original_shape(ForeignConfig& config) {
  EncoderConfig shape;
  shape.d_model = read_int(config, "n_embd", kWidths);
  shape.n_encoder_layers = read_int(config, "n_layer", kLayerCounts);
  shape.n_heads = read_int(config, "n_head", kHeadCounts);
  shape.d_ff = static_cast<int>(config.integer_or("n_inner", 4 * shape.d_model, between(1, 1e6)));
  config.choice("activation_function", {"swiglu"});
  shape.activation = Activation::swish;
  shape.norm.epsilon =
      static_cast<float>(config.number_or("layer_norm_epsilon", 1e-5, between(1e-12, 1)));
  shape.max_positions = read_int(config, "n_positions", between(3, 1e6));
  shape.token_types = static_cast<int>(config.integer_or("type_vocab_size", 2, between(0, 65536)));
  shape.dropout = read_dropout(config, "resid_pdrop", 0.0);
  shape.attention_dropout = read_dropout(config, "attn_pdrop", 0.0);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  shape.rotary.theta = config.number("rotary_emb_base", between(1, 1e9));
  config.require("rotary_emb_fraction", 1.0);
  for (const char* scaling : {"rotary_emb_scale_base", "rotary_scaling_factor"})
    config.require(scaling, nullptr);
  for (const char* other :
       {"rotary_emb_interleaved", "prenorm", "parallel_block", "parallel_block_tied_norm",
        "qkv_proj_bias", "mlp_fc1_bias", "mlp_fc2_bias", "use_rms_norm", "causal",
        "scale_attn_by_inverse_layer_idx"})
    config.require(other, false);
  config.require("scale_attn_weights", true);
  config.ignore({"auto_map", "dense_seq_output", "embd_pdrop", "fused_bias_fc",
                 "fused_dropout_add_ln", "max_trained_positions", "pad_vocab_size_multiple",
                 "reorder_and_upcast_attn", "summary_activation", "summary_first_dropout",
                 "summary_proj_to_labels", "summary_type", "summary_use_proj", "use_flash_attn",
                 "use_xentropy", "layer_norm_eps"});
  set_nomic_layers(shape);
  return shape;
}

EncoderConfig read_nomic_shape(ForeignConfig& config) {
  if (config.has("n_embd")) return read_original_shape(config);
  EncoderConfig shape = read_bert_shape(config);
  const int width = static_cast<int>(config.integer_or("head_dim", 0, kWidths));
  if (width > 0 && width * shape.n_heads != shape.d_model) shape.d_key = shape.d_value = width;
  const bool has_theta =
      config.has("rope_theta") ||
      (config.has("rope_parameters") && config.object("rope_parameters").has("rope_theta"));
  shape.rotary = read_rotary(config);
  if (!has_theta) shape.rotary.theta = kNomicTheta;
  set_nomic_layers(shape);
  return shape;
}

nlohmann::ordered_json nomic_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = bert_settings(shape);
  json.erase("position_embedding_type");
  json["head_dim"] = shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads;
  json["rope_parameters"] = {{"rope_theta", shape.rotary.theta}, {"rope_type", "default"}};
  return json;
}

constexpr std::array kNomicTokenizers{TokenizerType::wordpiece};

}  // namespace

ForeignModel read_nomic_bert(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_nomic_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "nomic_bert.",
                         .encoder = kNomicBert,
                         .head = kNomicHead,
                         .ignorable = kNomicIgnorable},
                        read_tokenizer_of(directory));
}

std::optional<TextFiles> write_nomic_bert(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "nomic_bert",
                        .class_prefix = "NomicBert",
                        .head_dropout = "classifier_dropout",
                        .has_token_types = true,
                        .settings = nomic_settings,
                        .tokenizers = kNomicTokenizers},
                       equal);
}

}  // namespace attend
