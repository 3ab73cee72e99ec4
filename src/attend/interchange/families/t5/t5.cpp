// T5 (Raffel et al. 2020) and its relatives, as transformers has them: T5 1.1, Flan-T5, mT5 and
// MADLAD-400.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "attend/interchange/families/families.h"
#include "attend/interchange/families/generation.h"
#include "attend/interchange/families/tied_embeddings.h"
#include "attend/models/make_encoder_decoder.h"
#include "attend/tasks/translation/model.h"
#include "attend/text/sentencepiece/sentencepiece_writing.h"

namespace attend {

namespace {

// Its stacks are blocks of layers: self-attention, in the decoder cross-attention, feed-forward.
constexpr std::array kT5{
    NameRule{"#.relative_positions.weight",
             "#.block.0.layer.0.SelfAttention.relative_attention_bias.weight"},
    NameRule{"#.layers.*.self_attn.q_proj.weight", "#.block.*.layer.0.SelfAttention.q.weight"},
    NameRule{"#.layers.*.self_attn.k_proj.weight", "#.block.*.layer.0.SelfAttention.k.weight"},
    NameRule{"#.layers.*.self_attn.v_proj.weight", "#.block.*.layer.0.SelfAttention.v.weight"},
    NameRule{"#.layers.*.self_attn.out_proj.weight", "#.block.*.layer.0.SelfAttention.o.weight"},
    NameRule{"#.layers.*.norm1.weight", "#.block.*.layer.0.layer_norm.weight"},
    NameRule{"encoder.layers.*.feed_forward.linear_gate.weight",
             "encoder.block.*.layer.1.DenseReluDense.wi_1.weight"},
    NameRule{"encoder.layers.*.feed_forward.linear2.weight",
             "encoder.block.*.layer.1.DenseReluDense.wo.weight"},
    NameRule{"encoder.layers.*.norm2.weight", "encoder.block.*.layer.1.layer_norm.weight"},
    NameRule{"#.norm.weight", "#.final_layer_norm.weight"},
    NameRule{"decoder.layers.*.cross_attn.q_proj.weight",
             "decoder.block.*.layer.1.EncDecAttention.q.weight"},
    NameRule{"decoder.layers.*.cross_attn.k_proj.weight",
             "decoder.block.*.layer.1.EncDecAttention.k.weight"},
    NameRule{"decoder.layers.*.cross_attn.v_proj.weight",
             "decoder.block.*.layer.1.EncDecAttention.v.weight"},
    NameRule{"decoder.layers.*.cross_attn.out_proj.weight",
             "decoder.block.*.layer.1.EncDecAttention.o.weight"},
    NameRule{"decoder.layers.*.norm2.weight", "decoder.block.*.layer.1.layer_norm.weight"},
    NameRule{"decoder.layers.*.feed_forward.linear_gate.weight",
             "decoder.block.*.layer.2.DenseReluDense.wi_1.weight"},
    NameRule{"decoder.layers.*.feed_forward.linear2.weight",
             "decoder.block.*.layer.2.DenseReluDense.wo.weight"},
    NameRule{"decoder.layers.*.norm3.weight", "decoder.block.*.layer.2.layer_norm.weight"},
    // In umT5 every layer has its own.
    NameRule{"#.layers.*.self_attn.relative_positions.weight",
             "#.block.*.layer.0.SelfAttention.relative_attention_bias.weight"},
};
// The encoder of LongT5.
constexpr std::array kLocalT5{
    NameRule{"encoder.relative_positions.weight",
             "encoder.block.0.layer.0.LocalSelfAttention.relative_attention_bias.weight"},
    NameRule{"encoder.layers.*.self_attn.q_proj.weight",
             "encoder.block.*.layer.0.LocalSelfAttention.q.weight"},
    NameRule{"encoder.layers.*.self_attn.k_proj.weight",
             "encoder.block.*.layer.0.LocalSelfAttention.k.weight"},
    NameRule{"encoder.layers.*.self_attn.v_proj.weight",
             "encoder.block.*.layer.0.LocalSelfAttention.v.weight"},
    NameRule{"encoder.layers.*.self_attn.out_proj.weight",
             "encoder.block.*.layer.0.LocalSelfAttention.o.weight"},
};
constexpr EmbeddingTensors kT5Embeddings{"shared.weight", "encoder.embed_tokens.weight",
                                         "decoder.embed_tokens.weight", "lm_head.weight"};
// The first map of a feed-forward network, alone or beside a gate.
constexpr std::array kPlain{
    NameRule{"encoder.layers.*.feed_forward.linear1.weight",
             "encoder.block.*.layer.1.DenseReluDense.wi.weight"},
    NameRule{"decoder.layers.*.feed_forward.linear1.weight",
             "decoder.block.*.layer.2.DenseReluDense.wi.weight"},
};
constexpr std::array kGated{
    NameRule{"encoder.layers.*.feed_forward.linear1.weight",
             "encoder.block.*.layer.1.DenseReluDense.wi_0.weight"},
    NameRule{"decoder.layers.*.feed_forward.linear1.weight",
             "decoder.block.*.layer.2.DenseReluDense.wi_0.weight"},
};

NameMap names_of_t5(const TransformerConfig& shape, const ForeignEmbeddings& embeddings) {
  std::vector<NameRule> rules(embeddings.names);
  if (shape.attention_window > 0) rules.insert(rules.end(), kLocalT5.begin(), kLocalT5.end());
  rules.insert(rules.end(), kT5.begin(), kT5.end());
  const auto& first = shape.gated_ffn ? kGated : kPlain;
  rules.insert(rules.end(), first.begin(), first.end());
  return NameMap(rules);
}

// "relu", "gated-gelu" and so on. Newer files repeat it in two more settings.
void read_feed_forward(ForeignConfig& config, TransformerConfig& shape) {
  constexpr std::string_view kGatedPrefix = "gated-";
  constexpr const char* kName = "feed_forward_proj";
  const std::string projection = config.text_or(kName, "relu");
  shape.gated_ffn = projection.starts_with(kGatedPrefix);
  const std::string name = shape.gated_ffn ? projection.substr(kGatedPrefix.size()) : projection;
  const auto activation = activation_named(name);
  if (!activation) config.refuse(kName, "supported: relu, gelu and silu, each also gated");
  // T5's gated gelu is the approximation.
  shape.activation = projection == "gated-gelu" ? Activation::gelu_tanh : *activation;
  config.require("is_gated_act", shape.gated_ffn);
  if (config.has("dense_act_fn") && read_activation(config, "dense_act_fn") != shape.activation)
    config.refuse("dense_act_fn", "feed_forward_proj is " + projection);
}

TransformerConfig read_t5_shape(ForeignConfig& config) {
  TransformerConfig shape;
  shape.d_model = read_int(config, "d_model", kWidths);
  shape.d_key = shape.d_value = read_int(config, "d_kv", kWidths);
  shape.d_ff = read_int(config, "d_ff", between(1, 1e6));
  shape.n_encoder_layers = read_int(config, "num_layers", kLayerCounts);
  shape.n_decoder_layers = static_cast<int>(
      config.integer_or("num_decoder_layers", shape.n_encoder_layers, kLayerCounts));
  shape.n_heads = read_int(config, "num_heads", kHeadCounts);
  read_feed_forward(config, shape);
  shape.ffn_bias = false;
  shape.attention_biases = AttentionBiases::none;
  shape.attention.inverse_temperature = 1.0f;
  shape.norm_first = true;
  shape.norm = {NormKind::rms, static_cast<float>(config.number_or("layer_norm_epsilon", 1e-6,
                                                                   between(1e-12, 1)))};
  shape.embedding_scale = 1.0f;
  shape.positions = PositionKind::relative;
  shape.relative.buckets = static_cast<int>(config.integer_or(
      "relative_attention_num_buckets", shape.relative.buckets, between(4, 4096)));
  shape.relative.distance = static_cast<int>(config.integer_or(
      "relative_attention_max_distance", shape.relative.distance, between(3, 16384)));
  shape.dropout = read_dropout(config, "dropout_rate", 0.1);
  shape.src_vocab_size = shape.tgt_vocab_size = read_int(config, "vocab_size", kVocabularySizes);
  config.ignore({"initializer_factor", "n_positions", "prefix", "bos_token_id"});
  return shape;
}

// What config.json says about it depends on the version that wrote it; the weights do not.
ForeignEmbeddings find_t5_embeddings(const ModelDirectory& directory, ForeignConfig& config) {
  const bool is_tied = config.boolean_or("tie_word_embeddings", true);
  return find_embeddings(directory, kT5Embeddings, true,
                         is_tied ? TiedEmbeddings::all : TiedEmbeddings::inputs);
}

// The first T5 scales the output, its relatives do not.
void read_output_scale(ForeignConfig& config, TransformerConfig& shape) {
  const bool is_tied = config.boolean_or("tie_word_embeddings", true);
  if (config.boolean_or("scale_decoder_outputs", is_tied))
    shape.output_scale = 1.0f / std::sqrt(static_cast<float>(shape.d_model));
}

ForeignModel finish_t5(const ModelDirectory& directory, ForeignConfig& config,
                       TransformerConfig shape) {
  const ForeignEmbeddings embeddings = find_t5_embeddings(directory, config);
  shape.tie_embeddings = embeddings.tied;
  const Tokenizer tokenizer =
      read_tokenizer_directory(texts_of(directory), directory.path(),
                               {.ids = shape.tgt_vocab_size, .pad_begins = true})
          .tokenizer;
  require_vocabulary(directory, tokenizer, shape.tgt_vocab_size);
  const GenerationSettings generation = read_generation(directory, config, shape.tgt_vocab_size);
  config.require("pad_token_id", tokenizer.pad_id());
  auto network = std::shared_ptr<EncoderDecoder>(make_encoder_decoder(shape));
  auto model = std::make_shared<TranslationModel>(std::move(network), tokenizer, tokenizer,
                                                  generation.after(generation.first ? 2 : 1));
  model->suppressed = generation.suppressed;
  if (!generation.ends.empty()) model->ends = generation.ends;
  model->format.marks.before_target = {generation.start.value_or(tokenizer.bos_id())};
  if (generation.first) model->format.marks.before_target.push_back(*generation.first);
  ForeignModel foreign{std::move(model), names_of_t5(shape, embeddings)};
  foreign.ignorable = kT5Embeddings.all();
  // In the first files, and never used.
  foreign.ignorable.push_back(
      "decoder.block.0.layer.1.EncDecAttention.relative_attention_bias.weight");
  return foreign;
}

}  // namespace

ForeignModel read_t5(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  TransformerConfig shape = read_t5_shape(config);
  read_output_scale(config, shape);
  return finish_t5(directory, config, shape);
}

// umT5 (Chung et al. 2023).
ForeignModel read_umt5(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  TransformerConfig shape = read_t5_shape(config);
  shape.relative.shared = false;
  read_output_scale(config, shape);
  config.ignore({"scalable_attention", "classifier_dropout"});
  return finish_t5(directory, config, shape);
}

// LongT5 (Guo et al. 2022) with the encoder that sees a window.
ForeignModel read_longt5(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  TransformerConfig shape = read_t5_shape(config);
  config.require("encoder_attention_type", "local");
  // As many tokens on both sides of one.
  shape.attention_window =
      1 + static_cast<int>(config.integer_or("local_radius", 127, between(0, 1e8)));
  shape.decoder_attention_layers = "global";
  config.ignore({"global_block_size"});
  read_output_scale(config, shape);
  return finish_t5(directory, config, shape);
}

ForeignModel read_mt5(const ModelDirectory& directory, ForeignConfig& config) {
  ignore_common_settings(config);
  config.ignore({"scale_decoder_outputs"});
  return finish_t5(directory, config, read_t5_shape(config));
}

}  // namespace attend
