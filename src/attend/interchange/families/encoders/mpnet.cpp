// MPNet (Song et al. 2020), as transformers has it: learned positions, and T5's biases by distance
// beside them.
#include <array>
#include <nlohmann/json.hpp>

#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"

namespace attend {

namespace {

constexpr std::array kMpnet{
    NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"positions.weight", "embeddings.position_embeddings.weight",
             ForeignLayout::behind_one},
    NameRule{"norm.*", "embeddings.LayerNorm.*"},
    NameRule{"encoder.relative_positions.weight", "encoder.relative_attention_bias.weight"},
    NameRule{"encoder.layers.*.self_attn.q_proj.*", "encoder.layer.*.attention.attn.q.*"},
    NameRule{"encoder.layers.*.self_attn.k_proj.*", "encoder.layer.*.attention.attn.k.*"},
    NameRule{"encoder.layers.*.self_attn.v_proj.*", "encoder.layer.*.attention.attn.v.*"},
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "encoder.layer.*.attention.attn.o.*"},
    NameRule{"encoder.layers.*.norm1.*", "encoder.layer.*.attention.LayerNorm.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*", "encoder.layer.*.intermediate.dense.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "encoder.layer.*.output.dense.*"},
    NameRule{"encoder.layers.*.norm2.*", "encoder.layer.*.output.LayerNorm.*"},
};

constexpr std::array kMpnetHead{
    NameRule{"head.*", "classifier.dense.*"},
    NameRule{"output.*", "classifier.out_proj.*"},
};

constexpr std::array<std::string_view, 6> kMpnetIgnorable{"embeddings.position_ids",
                                                          "*.embeddings.position_ids",
                                                          "pooler.dense.*",
                                                          "mpnet.pooler.dense.*",
                                                          "lm_head.*",
                                                          "lm_head.*.*"};

constexpr const char *kMpnetBuckets = "relative_attention_num_buckets",
                     *kMpnetDropout = "hidden_dropout_prob";
// transformers computes with these, whatever config.json says.
constexpr int kBucketsOfMpnet = 32, kDistanceOfMpnet = 128;

EncoderConfig read_mpnet_shape(ForeignConfig& config) {
  EncoderConfig shape = read_bert_shape(config);
  config.require(kMpnetBuckets, kBucketsOfMpnet);
  shape.token_types = 0;
  shape.distance_biases = DistanceBiases::relative;
  shape.relative = {.buckets = kBucketsOfMpnet, .distance = kDistanceOfMpnet};
  count_as_roberta(shape);
  return shape;
}

nlohmann::ordered_json mpnet_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = roberta_settings(shape);
  json.erase("type_vocab_size");
  json.erase("position_embedding_type");
  json[kMpnetBuckets] = kBucketsOfMpnet;
  return json;
}

constexpr std::array kMpnetTokenizers{TokenizerType::wordpiece};

}  // namespace

ForeignModel read_mpnet(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_mpnet_shape(config);
  return finish_encoder(directory, config, shape,
                        {.prefix = "mpnet.",
                         .encoder = kMpnet,
                         .head = kMpnetHead,
                         .head_dropout = kMpnetDropout,
                         .tagger_dropout = kMpnetDropout,
                         .ignorable = kMpnetIgnorable},
                        read_tokenizer_of(directory));
}

std::optional<TextFiles> write_mpnet(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "mpnet",
                        .class_prefix = "MPNet",
                        .head_dropout = kMpnetDropout,
                        .tagger_dropout = kMpnetDropout,
                        .settings = mpnet_settings,
                        .tokenizers = kMpnetTokenizers},
                       equal);
}

}  // namespace attend
