// GTE of version 1.5 and later, and mGTE (Zhang et al. 2024): BERT with rotary positions and gated
// feed-forward networks. The authors' directories call their type "new".
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/decoders/rotary_settings.h"
#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"

namespace attend {

namespace {

constexpr NameRule gte_part(std::string_view ours, std::string_view theirs, int index, int count) {
  return {ours, theirs, ForeignLayout::same, {index, count}};
}
constexpr std::string_view kGteQkv = "encoder.layer.*.attention.qkv_proj.*",
                           kGteHidden = "encoder.layer.*.mlp.up_gate_proj.*";

constexpr std::array kGte{
    NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"token_types.weight", "embeddings.token_type_embeddings.weight",
             ForeignLayout::first_rows},
    NameRule{"norm.*", "embeddings.LayerNorm.*"},
    gte_part("encoder.layers.*.self_attn.q_proj.*", kGteQkv, 0, 3),
    gte_part("encoder.layers.*.self_attn.k_proj.*", kGteQkv, 1, 3),
    gte_part("encoder.layers.*.self_attn.v_proj.*", kGteQkv, 2, 3),
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "encoder.layer.*.attention.o_proj.*"},
    NameRule{"encoder.layers.*.norm1.*", "encoder.layer.*.attn_ln.*"},
    gte_part("encoder.layers.*.feed_forward.linear_gate.*", kGteHidden, 0, 2),
    gte_part("encoder.layers.*.feed_forward.linear1.*", kGteHidden, 1, 2),
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "encoder.layer.*.mlp.down_proj.*"},
    NameRule{"encoder.layers.*.norm2.*", "encoder.layer.*.mlp_ln.*"},
};

constexpr std::array kGteHead{
    NameRule{"head.*", "gte.pooler.dense.*"},
    NameRule{"output.*", "classifier.*"},
};
constexpr std::array kNewHead{
    NameRule{"head.*", "new.pooler.dense.*"},
    NameRule{"output.*", "classifier.*"},
};

constexpr std::array<std::string_view, 5> kGteIgnorable{"lm_head.*", "lm_head.*.*", "*.inv_freq",
                                                        "pooler.dense.*", "*.pooler.dense.*"};

constexpr double kGteTheta = 160000.0;

EncoderConfig read_gte_shape(ForeignConfig& config) {
  EncoderConfig shape = read_unpositioned_bert_shape(config);
  shape.token_types = static_cast<int>(config.integer_or("type_vocab_size", 1, between(0, 65536)));
  shape.positions = PositionKind::rotary;
  shape.gated_ffn = true;
  shape.ffn_hidden_bias = false;
  return shape;
}

// The scaling "ntk" of the authors: angles have the base times the factor, and are divided by
// factor^(2/width).
RotaryOptions read_rotary_of_authors(ForeignConfig& config, int width) {
  constexpr const char* kScaling = "rope_scaling";
  RotaryOptions rotary;
  rotary.theta = config.number("rope_theta", between(1, 1e9));
  if (!config.has(kScaling)) return rotary;
  ForeignConfig& scaling = config.object(kScaling);
  scaling.choice(scaling.has("rope_type") ? "rope_type" : "type", {"ntk"});
  scaling.ignore({"type", "rope_type"});
  const double factor = scaling.number("factor", between(1, 1e6));
  scaling.require("mixed_b", nullptr);
  rotary.theta *= factor;
  rotary.scaling = RotaryScaling::linear;
  rotary.factor = std::pow(factor, 2.0 / width);
  return rotary;
}

nlohmann::ordered_json gte_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = bert_settings(shape);
  json.erase("position_embedding_type");
  nlohmann::ordered_json rotary;
  const bool is_scaled = shape.rotary.scaling == RotaryScaling::linear;
  if (is_scaled) rotary["factor"] = shape.rotary.factor;
  rotary["rope_theta"] = shape.rotary.theta;
  rotary["rope_type"] = is_scaled ? "linear" : "default";
  json["rope_parameters"] = rotary;
  return json;
}

}  // namespace

ForeignModel read_gte(const ModelDirectory& directory, ForeignConfig& config) {
  constexpr const char* kOfAuthors = "layer_norm_type";
  ignore_encoder_settings(config);
  EncoderConfig shape = read_gte_shape(config);
  EncoderFamily family{
      .prefix = "gte.", .encoder = kGte, .head = kGteHead, .ignorable = kGteIgnorable};
  if (config.has(kOfAuthors)) {
    config.choice(kOfAuthors, {"layer_norm"});
    for (const char* other : {"logn_attention_scale", "logn_attention_clip1"})
      config.require(other, false);
    config.require("pack_qkv", true);
    config.choice("position_embedding_type", {"rope"});
    config.ignore({"auto_map", "unpad_inputs", "use_memory_efficient_attention"});
    shape.rotary = read_rotary_of_authors(config, shape.d_model / shape.n_heads);
    family.prefix = "new.";
    family.head = kNewHead;
  } else {
    shape.rotary = read_rotary(config, {.theta = kGteTheta});
  }
  return finish_encoder(directory, config, shape, family, read_tokenizer_of(directory));
}

std::optional<TextFiles> write_gte(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "gte",
                        .class_prefix = "Gte",
                        .head_dropout = "classifier_dropout",
                        .has_token_types = true,
                        .settings = gte_settings},
                       equal);
}

}  // namespace attend
