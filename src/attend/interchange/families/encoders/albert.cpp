// ALBERT (Lan et al. 2020), as transformers has it: narrow embeddings, and layers that share their
// parameters.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"

namespace attend {

namespace {

constexpr std::array kAlbert{
    NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"positions.weight", "embeddings.position_embeddings.weight"},
    NameRule{"token_types.weight", "embeddings.token_type_embeddings.weight",
             ForeignLayout::first_rows},
    NameRule{"norm.*", "embeddings.LayerNorm.*"},
    NameRule{"embedding_projection.*", "encoder.embedding_hidden_mapping_in.*"},
    NameRule{"encoder.layers.*.self_attn.q_proj.*",
             "encoder.albert_layer_groups.*.albert_layers.0.attention.query.*"},
    NameRule{"encoder.layers.*.self_attn.k_proj.*",
             "encoder.albert_layer_groups.*.albert_layers.0.attention.key.*"},
    NameRule{"encoder.layers.*.self_attn.v_proj.*",
             "encoder.albert_layer_groups.*.albert_layers.0.attention.value.*"},
    NameRule{"encoder.layers.*.self_attn.out_proj.*",
             "encoder.albert_layer_groups.*.albert_layers.0.attention.dense.*"},
    NameRule{"encoder.layers.*.norm1.*",
             "encoder.albert_layer_groups.*.albert_layers.0.attention.LayerNorm.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*",
             "encoder.albert_layer_groups.*.albert_layers.0.ffn.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*",
             "encoder.albert_layer_groups.*.albert_layers.0.ffn_output.*"},
    NameRule{"encoder.layers.*.norm2.*",
             "encoder.albert_layer_groups.*.albert_layers.0.full_layer_layer_norm.*"},
};

constexpr std::array kAlbertHead{
    NameRule{"head.*", "albert.pooler.*"},
    NameRule{"output.*", "classifier.*"},
};

constexpr std::array<std::string_view, 7> kAlbertIgnorable{
    "embeddings.position_ids", "*.embeddings.position_ids", "pooler.*",          "albert.pooler.*",
    "predictions.*",           "predictions.*.*",           "sop_classifier.*.*"};

constexpr const char *kAlbertWidth = "embedding_size", *kAlbertGroups = "num_hidden_groups",
                     *kAlbertDropout = "classifier_dropout_prob";

EncoderConfig read_albert_shape(ForeignConfig& config) {
  EncoderConfig shape = read_bert_shape(config);
  shape.embedding_width = read_int(config, kAlbertWidth, kWidths);
  shape.layer_groups =
      static_cast<int>(config.integer_or(kAlbertGroups, 1, between(1, shape.n_encoder_layers)));
  config.require("inner_group_num", 1);
  // The first program that ALBERT was trained with has these.
  config.ignore(
      {kAlbertDropout, "down_scale_factor", "gap_size", "net_structure_type", "num_memory_blocks"});
  return shape;
}

nlohmann::ordered_json albert_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = bert_settings(shape);
  json[kAlbertWidth] = shape.width_of_embeddings();
  json[kAlbertGroups] = shape.layer_groups > 0 ? shape.layer_groups : shape.n_encoder_layers;
  json["inner_group_num"] = 1;
  return json;
}

}  // namespace

ForeignModel read_albert(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_albert_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "albert.",
                         .encoder = kAlbert,
                         .head = kAlbertHead,
                         .head_dropout = kAlbertDropout,
                         .tagger_dropout = kAlbertDropout,
                         .ignorable = kAlbertIgnorable},
                        read_tokenizer_of(directory));
}

std::optional<TextFiles> write_albert(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "albert",
                        .class_prefix = "Albert",
                        .head_dropout = kAlbertDropout,
                        .tagger_dropout = kAlbertDropout,
                        .has_token_types = true,
                        .settings = albert_settings},
                       equal);
}

}  // namespace attend
