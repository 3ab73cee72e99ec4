// DistilBERT (Sanh et al. 2019), as transformers has it: encoders and classifiers.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"

namespace attend {

namespace {

constexpr std::array kDistilBert{
    NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"positions.weight", "embeddings.position_embeddings.weight"},
    NameRule{"norm.*", "embeddings.LayerNorm.*"},
    NameRule{"encoder.layers.*.self_attn.q_proj.*", "transformer.layer.*.attention.q_lin.*"},
    NameRule{"encoder.layers.*.self_attn.k_proj.*", "transformer.layer.*.attention.k_lin.*"},
    NameRule{"encoder.layers.*.self_attn.v_proj.*", "transformer.layer.*.attention.v_lin.*"},
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "transformer.layer.*.attention.out_lin.*"},
    NameRule{"encoder.layers.*.norm1.*", "transformer.layer.*.sa_layer_norm.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*", "transformer.layer.*.ffn.lin1.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "transformer.layer.*.ffn.lin2.*"},
    NameRule{"encoder.layers.*.norm2.*", "transformer.layer.*.output_layer_norm.*"},
};

constexpr std::array kDistilBertHead{
    NameRule{"head.*", "pre_classifier.*"},
    NameRule{"output.*", "classifier.*"},
};

constexpr std::array<std::string_view, 5> kDistilBertIgnorable{
    "embeddings.position_ids", "*.embeddings.position_ids", "vocab_transform.*",
    "vocab_layer_norm.*", "vocab_projector.*"};

EncoderConfig read_distilbert_shape(ForeignConfig& config) {
  EncoderConfig shape;
  shape.d_model = read_int(config, "dim", kWidths);
  shape.n_encoder_layers = read_int(config, "n_layers", kLayerCounts);
  shape.n_heads = read_int(config, "n_heads", kHeadCounts);
  shape.d_ff = read_int(config, "hidden_dim", between(1, 1e6));
  shape.activation = read_activation(config, "activation");
  shape.norm.epsilon = 1e-12f;
  shape.norm_embedding = true;
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::learned;  // sinusoids are in the file, too
  shape.max_positions = read_int(config, "max_position_embeddings", between(3, 1e6));
  shape.dropout = read_dropout(config, "dropout", 0.1);
  shape.attention_dropout = read_dropout(config, "attention_dropout", 0.1);
  shape.vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.ignore({"sinusoidal_pos_embs", "sinusoidal_pos_embds", "seq_classif_dropout", "qa_dropout",
                 "tie_weights_"});
  return shape;
}

}  // namespace

ForeignModel read_distilbert(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_distilbert_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "distilbert.",
                         .encoder = kDistilBert,
                         .head = kDistilBertHead,
                         .head_dropout = "seq_classif_dropout",
                         .tagger_dropout = "dropout",
                         .head_options = {.activation = Activation::relu},
                         .ignorable = kDistilBertIgnorable},
                        read_tokenizer_of(directory));
}

namespace {

nlohmann::ordered_json distilbert_settings(const EncoderConfig& shape) {
  return {{"dim", shape.d_model},
          {"n_layers", shape.n_encoder_layers},
          {"n_heads", shape.n_heads},
          {"hidden_dim", shape.d_ff},
          {"activation", write_activation(shape.activation)},
          {"max_position_embeddings", shape.max_positions},
          {"sinusoidal_pos_embds", false},
          {"dropout", shape.dropout},
          {"attention_dropout", shape.attention_dropout}};
}

}  // namespace

std::optional<TextFiles> write_distilbert(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "distilbert",
                        .class_prefix = "DistilBert",
                        .head_dropout = "seq_classif_dropout",
                        .tagger_dropout = "dropout",
                        .settings = distilbert_settings},
                       equal);
}

}  // namespace attend
