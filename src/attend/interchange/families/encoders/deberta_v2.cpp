// DeBERTa v2 and v3 (He et al. 2021), as transformers has them: disentangled attention.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/interchange/families/encoders/bert_like.h"
#include "attend/interchange/families/encoders/encoder_family.h"
#include "attend/interchange/families/encoders/encoder_writing.h"

namespace attend {

namespace {

constexpr std::array kDeberta{
    NameRule{"embedding.weight", "embeddings.word_embeddings.weight", ForeignLayout::first_rows},
    NameRule{"positions.weight", "embeddings.position_embeddings.weight"},
    NameRule{"token_types.weight", "embeddings.token_type_embeddings.weight",
             ForeignLayout::first_rows},
    NameRule{"norm.*", "embeddings.LayerNorm.*"},
    NameRule{"encoder.disentangled_positions.weight", "encoder.rel_embeddings.weight"},
    NameRule{"encoder.disentangled_positions.norm.*", "encoder.LayerNorm.*"},
    NameRule{"encoder.layers.*.self_attn.q_proj.*", "encoder.layer.*.attention.self.query_proj.*"},
    NameRule{"encoder.layers.*.self_attn.k_proj.*", "encoder.layer.*.attention.self.key_proj.*"},
    NameRule{"encoder.layers.*.self_attn.v_proj.*", "encoder.layer.*.attention.self.value_proj.*"},
    NameRule{"encoder.layers.*.self_attn.out_proj.*", "encoder.layer.*.attention.output.dense.*"},
    NameRule{"encoder.layers.*.norm1.*", "encoder.layer.*.attention.output.LayerNorm.*"},
    NameRule{"encoder.layers.*.feed_forward.linear1.*", "encoder.layer.*.intermediate.dense.*"},
    NameRule{"encoder.layers.*.feed_forward.linear2.*", "encoder.layer.*.output.dense.*"},
    NameRule{"encoder.layers.*.norm2.*", "encoder.layer.*.output.LayerNorm.*"},
};

constexpr std::array kDebertaHead{
    NameRule{"head.*", "pooler.dense.*"},
    NameRule{"output.*", "classifier.*"},
};

// Positions that are not added, and heads of pretraining.
constexpr std::array<std::string_view, 9> kDebertaIgnorable{
    "embeddings.position_ids",
    "*.embeddings.position_ids",
    "embeddings.position_embeddings.weight",
    "deberta.embeddings.position_embeddings.weight",
    "pooler.dense.*",
    "lm_predictions.lm_head.*",
    "lm_predictions.lm_head.*.*",
    "mask_predictions.*.*",
    "cls.predictions.*"};

constexpr const char *kDebertaHeadDropout = "cls_dropout",
                     *kDebertaTaggerDropout = "hidden_dropout_prob",
                     *kPoolerActivation = "pooler_hidden_act", *kAttentionTypes = "pos_att_type";

// "p2c|c2p", or a list of both.
void require_both_terms(ForeignConfig& config) {
  std::vector<std::string> types = config.has(kAttentionTypes)
                                       ? config.text_or_texts(kAttentionTypes)
                                       : std::vector<std::string>();
  if (types.size() == 1) {
    std::string joined = types.front();
    joined.erase(std::remove(joined.begin(), joined.end(), ' '), joined.end());
    if (joined == "p2c|c2p" || joined == "c2p|p2c") types = {"c2p", "p2c"};
  }
  std::sort(types.begin(), types.end());
  if (types != std::vector<std::string>{"c2p", "p2c"})
    config.refuse(kAttentionTypes, "expected c2p and p2c");
}

RelativeOptions read_buckets(ForeignConfig& config, int positions) {
  RelativeOptions relative;
  relative.buckets = 2 * read_int(config, "position_buckets", between(2, 2048));
  constexpr const char* kMost = "max_relative_positions";
  const std::int64_t most = config.integer_or(kMost, -1, between(-1, 16384));
  relative.distance = most < 1 ? positions : static_cast<int>(most);
  if (relative.distance <= relative.buckets / 4 + 1)
    config.refuse(config.has(kMost) ? kMost : "position_buckets",
                  "more positions than half the buckets are expected");
  return relative;
}

EncoderConfig read_deberta_shape(ForeignConfig& config) {
  EncoderConfig shape = read_bert_shape(config);
  if (!config.has("type_vocab_size")) shape.token_types = 0;
  if (!config.has("layer_norm_eps")) shape.norm.epsilon = 1e-7f;
  for (const char* needed : {"relative_attention", "share_att_key"})
    if (!config.boolean(needed)) config.refuse(needed, "true is supported");
  if (config.text("norm_rel_ebd") != "layer_norm")
    config.refuse("norm_rel_ebd", "layer_norm is supported");
  require_both_terms(config);
  config.require("conv_kernel_size", 0);
  config.ignore(
      {kDebertaHeadDropout, "conv_act", "conv_groups", "legacy", "pooler_dropout", "max_norm"});
  for (const char* width : {"embedding_size", "pooler_hidden_size"})
    config.require(width, shape.d_model);
  config.require("attention_head_size", shape.d_model / shape.n_heads);
  const bool adds = config.boolean_or("position_biased_input", true);
  shape.positions = adds ? PositionKind::learned : PositionKind::none;
  shape.distance_biases = DistanceBiases::disentangled;
  shape.relative = read_buckets(config, shape.max_positions);
  return shape;
}

// transformers puts the token of masks behind the pieces of a SentencePiece model that has none,
// where the model has embeddings for more.
ForeignTokenizer read_deberta_tokenizer(const ModelDirectory& directory, int embeddings) {
  ForeignTokenizer plain = read_tokenizer_of(directory);
  const int size = plain.tokenizer.vocab_size();
  if (size >= embeddings) return plain;
  ForeignTokenizer with_mask = read_tokenizer_of(directory, size + 1);
  return with_mask.tokenizer.piece(size) == filler_piece(size) ? plain : with_mask;
}

nlohmann::ordered_json deberta_settings(const EncoderConfig& shape) {
  nlohmann::ordered_json json = bert_settings(shape);
  json.erase("position_embedding_type");
  json.update({{"relative_attention", true},
               {"share_att_key", true},
               {"norm_rel_ebd", "layer_norm"},
               {kAttentionTypes, {"p2c", "c2p"}},
               {"position_buckets", shape.relative.buckets / 2},
               {"max_relative_positions",
                shape.relative.distance == shape.max_positions ? -1 : shape.relative.distance},
               {"position_biased_input", shape.positions == PositionKind::learned}});
  return json;
}

}  // namespace

ForeignModel read_deberta_v2(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_encoder_settings(config);
  const EncoderConfig shape = read_deberta_shape(config);
  const Activation head =
      config.has(kPoolerActivation) ? read_activation(config, kPoolerActivation) : Activation::gelu;
  return finish_encoder(directory, config, shape,
                        {.prefix = "deberta.",
                         .encoder = kDeberta,
                         .head = kDebertaHead,
                         .head_dropout = kDebertaHeadDropout,
                         .tagger_dropout = kDebertaTaggerDropout,
                         .head_options = {.activation = head},
                         .ignorable = kDebertaIgnorable},
                        read_deberta_tokenizer(directory, shape.vocab_size));
}

std::optional<TextFiles> write_deberta_v2(const SavedModel& model, Checkpoint& equal) {
  return write_encoder(model,
                       {.type = "deberta-v2",
                        .class_prefix = "DebertaV2",
                        .head_dropout = kDebertaHeadDropout,
                        .tagger_dropout = kDebertaTaggerDropout,
                        .has_token_types = true,
                        .settings = deberta_settings},
                       equal);
}

}  // namespace attend
