// ModernBERT (Warner et al. 2024): rotary positions, windows in most layers, gated feed-forward
// networks, pre-norm without biases, and no normalization before the first sublayer, which reads
// normalized embeddings.
#include <array>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <vector>

#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"
#include "attend/interchange/families/layer_types.h"

namespace attend {

namespace {

constexpr NameRule modern_part(std::string_view ours, std::string_view theirs, int index,
                               int count) {
  return {ours, theirs, ForeignLayout::same, {index, count}};
}
constexpr std::string_view kModernQkv = "layers.*.attn.Wqkv.*", kModernHidden = "layers.*.mlp.Wi.*";

constexpr std::array kModernBert{
    NameRule{"embedding.weight", "embeddings.tok_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"norm.*", "embeddings.norm.*"},
    NameRule{"encoder.layers.*.norm1.*", "layers.*.attn_norm.*"},
    modern_part("encoder.layers.*.self_attn.q_proj.*", kModernQkv, 0, 3),
    modern_part("encoder.layers.*.self_attn.k_proj.*", kModernQkv, 1, 3),
    modern_part("encoder.layers.*.self_attn.v_proj.*", kModernQkv, 2, 3),
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "layers.*.attn.Wo.*"},
    NameRule{"encoder.layers.*.norm2.*", "layers.*.mlp_norm.*"},
    modern_part("encoder.layers.*.feed_forward.linear1.*", kModernHidden, 0, 2),
    modern_part("encoder.layers.*.feed_forward.linear_gate.*", kModernHidden, 1, 2),
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "layers.*.mlp.Wo.*"},
    NameRule{"encoder.norm.*", "final_norm.*"},
};

// What classifiers and taggers have beside the encoder.
constexpr std::array kModernHead{
    NameRule{"head.*", "head.dense.*"},
    NameRule{"head_norm.*", "head.norm.*"},
    NameRule{"output.*", "classifier.*"},
};

// What masked language models have beside the encoder.
constexpr std::array<std::string_view, 2> kModernIgnorable{"head.*.*", "decoder.*"};

constexpr LayeredRotaryRules kModernRotary{.global_key = "global_rope_theta",
                                           .global_theta = 160000.0,
                                           .local_key = "local_rope_theta",
                                           .local_theta = 10000.0};
// The tokens of a window on both sides of its own.
constexpr const char* kModernWindow = "local_attention";

// The first layer of every few is global, unless the file says otherwise.
void read_modern_layers(ForeignConfig& config, EncoderConfig& shape) {
  const auto every =
      static_cast<std::size_t>(config.integer_or("global_attn_every_n_layers", 3, between(1, 1e6)));
  std::vector<LayerKind> kinds(static_cast<std::size_t>(shape.n_encoder_layers), LayerKind::local);
  for (std::size_t i = 0; i < kinds.size(); i += every) kinds[i] = LayerKind::global;
  const auto both_sides = static_cast<int>(config.integer_or(kModernWindow, 128, between(0, 1e9)));
  set_layers(read_layer_types(config, kinds), both_sides / 2 + 1, shape);
}

EncoderConfig read_modern_shape(ForeignConfig& config) {
  EncoderConfig shape;
  shape.d_model = read_int(config, "hidden_size", kWidths);
  shape.n_encoder_layers = read_int(config, "num_hidden_layers", kLayerCounts);
  shape.n_heads = read_int(config, "num_attention_heads", kHeadCounts);
  shape.d_ff = read_int(config, "intermediate_size", between(1, 1e6));
  constexpr const char* kActivation = "hidden_activation";
  shape.activation =
      config.has(kActivation) ? read_activation(config, kActivation) : Activation::gelu;
  shape.gated_ffn = true;
  shape.ffn_bias = config.boolean_or("mlp_bias", false);
  shape.attention_biases =
      config.boolean_or("attention_bias", false) ? AttentionBiases::all : AttentionBiases::none;
  shape.norm_first = true;
  shape.norm_input = false;
  shape.norm_embedding = true;
  shape.norm.epsilon = static_cast<float>(config.number_or("norm_eps", 1e-5, between(1e-12, 1)));
  shape.norm.bias = config.boolean_or("norm_bias", false);
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::rotary;
  shape.max_positions = read_int(config, "max_position_embeddings", between(3, 1e6));
  shape.dropout = read_dropout(config, "embedding_dropout", 0.0);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.0);
  shape.activation_dropout = read_dropout(config, "mlp_dropout", 0.0);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  read_modern_layers(config, shape);
  config.require("rope_scaling", nullptr);
  read_layered_rotary(config, kModernRotary, shape);
  config.ignore({"initializer_cutoff_factor", "decoder_bias", "deterministic_flash_attn",
                 "sparse_prediction", "sparse_pred_ignore_index", "reference_compile",
                 "repad_logits_with_grad", "gradient_checkpointing", "layer_norm_eps",
                 "position_embedding_type"});
  return shape;
}

HeadOptions read_modern_head(ForeignConfig& config) {
  constexpr const char* kActivation = "classifier_activation";
  return {.activation =
              config.has(kActivation) ? read_activation(config, kActivation) : Activation::gelu,
          .bias = config.boolean_or("classifier_bias", false),
          .norm = true};
}

Pooling read_modern_pooling(ForeignConfig& config) {
  return std::array{Pooling::first, Pooling::mean}.at(
      config.choice_or("classifier_pooling", 0, {"cls", "mean"}));
}

nlohmann::ordered_json modern_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json{
      {"hidden_size", shape.d_model},
      {"num_hidden_layers", shape.n_encoder_layers},
      {"num_attention_heads", shape.n_heads},
      {"intermediate_size", shape.d_ff},
      {"hidden_activation", write_activation(shape.activation)},
      {"mlp_bias", shape.ffn_bias},
      {"attention_bias", shape.attention_biases == AttentionBiases::all},
      {"norm_eps", shape.norm.epsilon},
      {"norm_bias", shape.norm.bias},
      {"max_position_embeddings", shape.max_positions},
      {"layer_types", layer_types_json(shape.kinds_of_layers(shape.n_encoder_layers))},
      {"embedding_dropout", shape.dropout},
      {"attention_dropout", shape.attention_dropout},
      {"mlp_dropout", shape.activation_dropout}};
  if (shape.attention_window > 0) json[kModernWindow] = 2 * (shape.attention_window - 1);
  const auto rotary = [](double theta) {
    return nlohmann::ordered_json{{"rope_theta", theta}, {"rope_type", "default"}};
  };
  const double global = shape.rotary.theta,
               local = shape.local_rotary_theta > 0 ? shape.local_rotary_theta : global;
  json["rope_parameters"] = {{"full_attention", rotary(global)},
                             {"sliding_attention", rotary(local)}};
  return json;
}

nlohmann::ordered_json modern_head_settings(const HeadOptions& head, Pooling pooling) {
  nlohmann::ordered_json json{{"classifier_activation", write_activation(head.activation)},
                              {"classifier_bias", head.bias}};
  json["classifier_pooling"] = pooling == Pooling::mean ? "mean" : "cls";
  return json;
}

}  // namespace

ForeignModel read_modernbert(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_modern_shape(config);
  const HeadOptions head = read_modern_head(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "model.",
                         .encoder = kModernBert,
                         .head = kModernHead,
                         .tagger_head = kModernHead,
                         .head_options = head,
                         .tagger_head_options = head,
                         .pooling = read_modern_pooling(config),
                         .ignorable = kModernIgnorable},
                        read_tokenizer_of(directory));
}

std::optional<TextFiles> write_modernbert(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "modernbert",
                        .class_prefix = "ModernBert",
                        .head_dropout = "classifier_dropout",
                        .settings = modern_settings,
                        .head_settings = modern_head_settings},
                       equal);
}

}  // namespace attend
