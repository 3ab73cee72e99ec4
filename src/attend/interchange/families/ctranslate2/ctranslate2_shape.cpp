#include "attend/interchange/families/ctranslate2/ctranslate2_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "attend/checkpoint/options_json.h"
#include "attend/error.h"
#include "attend/interchange/families/ctranslate2/ctranslate2_variables.h"
#include "attend/interchange/families/two_stacks.h"
#include "attend/text/tokenizer.h"

namespace attend {

namespace {

using Variables = Ctranslate2Variables;

constexpr NumberRange kInnerWidths = between(1, 1e6), kFactors = above(0, 1e6);

std::string layer_name(int layer) { return fmt::format("layer_{}", layer); }

Activation read_ct2_activation(const Variables& stack) {
  constexpr std::int64_t kMost = static_cast<std::int64_t>(kCtranslate2Activations.size()) - 1;
  const std::int64_t code = stack.integer("activation", between(0, 255)).value_or(0);
  if (code > kMost)
    stack.refuse("activation", fmt::format("expected one of 0 to {}, found {}", kMost, code));
  return kCtranslate2Activations[static_cast<std::size_t>(code)];
}

// 0 stands for the square root of the width.
float read_embedding_scale(const Variables& stack, int width) {
  constexpr const char* kName = "scale_embeddings";
  const Variables embeddings =
      stack.within(stack.has("embeddings_0/weight") ? "embeddings_0" : "embeddings");
  if (!stack.has(kName)) return embeddings.flag("multiply_by_sqrt_depth", true) ? 0.0f : 1.0f;
  if (is_integer(stack.table().find(stack.full(kName))->type))
    return stack.flag(kName, true) ? 0.0f : 1.0f;
  const float scale = *stack.number(kName, kFactors);
  return scale == std::sqrt(static_cast<float>(width)) ? 0.0f : scale;
}

// What rounding of angles in 32 bits may change in a sinusoid. A table in 16 bits differs by more,
// and is kept as it is.
float rounding_at(std::int64_t position) { return 1e-6f + 5e-7f * static_cast<float>(position); }

// Whether the first rows of a table are sinusoids from `first` on.
bool holds_sinusoids(const Tensor& table, std::int64_t rows, PositionKind kind, int first) {
  const Tensor expected = sinusoids(kind, first + rows, table.cols());
  for (std::int64_t row = 0; row < rows; ++row) {
    const float most = rounding_at(row);
    for (std::int64_t column = 0; column < table.cols(); ++column)
      if (!(std::fabs(table.row(row)[column] - expected.row(first + row)[column]) <= most))
        return false;
  }
  return true;
}

constexpr const char* kPositionsOfStack = "position_encodings/encodings";

// Any positions that are in a table.
void read_ct2_table(const Variables& stack, StackConfig& shape) {
  shape.positions = PositionKind::learned;
  shape.first_position = 0;
  shape.max_positions = stack.rows(kPositionsOfStack, kInnerWidths);
}

// Positions are computed where the file has no table of them.
void read_ct2_positions(const Variables& stack, StackConfig& shape) {
  shape.positions = PositionKind::sinusoidal_t2t;
  shape.first_position = 1;
  if (!stack.has(kPositionsOfStack)) return;
  const std::int64_t rows = stack.rows(kPositionsOfStack, kInnerWidths);
  const Tensor table = stack.table().read(stack.full(kPositionsOfStack), {rows, shape.d_model});
  struct Sinusoids {
    PositionKind kind;
    int first;
  };
  for (const auto& [kind, first] : {Sinusoids{PositionKind::sinusoidal_halves, 0},
                                    {PositionKind::sinusoidal, 0},
                                    {PositionKind::sinusoidal_t2t, 2},
                                    {PositionKind::sinusoidal_t2t, 1},
                                    {PositionKind::sinusoidal_t2t, 0}}) {
    shape.positions = kind;
    shape.first_position = first;
    if (holds_sinusoids(table, std::min<std::int64_t>(rows, 4), kind, first) &&
        holds_sinusoids(table, rows, kind, first))
      return;
  }
  read_ct2_table(stack, shape);
}

int count_layers(const Variables& stack) {
  int layers = 0;
  while (layers < static_cast<int>(kLayerCounts.most) &&
         stack.has(layer_name(layers) + "/self_attention/linear_0/weight"))
    ++layers;
  if (layers == 0) stack.refuse("layer_0/self_attention/linear_0/weight", "found no such variable");
  return layers;
}

AttentionBiases read_ct2_biases(const Variables& attention) {
  if (!attention.has("linear_0/bias")) return AttentionBiases::none;
  return attention.has("linear_1/bias") ? AttentionBiases::all : AttentionBiases::qkv;
}

// One factor of all scores in a stack; 0: the usual one.
float read_queries_scale(const Variables& stack, int layers) {
  constexpr const char* kName = "queries_scale";
  std::optional<float> factor;
  for (int layer = 0; layer < layers; ++layer)
    for (const char* kind : {"self_attention", "attention"}) {
      const Variables attention = stack.within(layer_name(layer)).within(kind);
      if (!attention.has("linear_0/weight")) continue;
      const float own = attention.number(kName, kFactors).value_or(0.0f);
      if (factor && *factor != own)
        attention.refuse(kName, fmt::format("it is {}, but {} elsewhere", own, *factor));
      factor = own;
    }
  return factor.value_or(0.0f);
}

// The biases of T5, by distance: one table, which all layers repeat, or one for each layer.
void read_ct2_distances(const Variables& stack, int layers, StackConfig& shape) {
  constexpr const char *kTable = "relative_attention_bias",
                       *kDistance = "relative_attention_max_distance";
  const auto attention = [&](int layer) {
    return stack.within(layer_name(layer)).within("self_attention");
  };
  shape.positions = PositionKind::relative;
  shape.relative.buckets = attention(0).rows(kTable, between(4, 4096));
  std::vector<float> first;
  for (int layer = 0; layer < layers; ++layer) {
    const Variables own = attention(layer);
    const auto distance = own.integer(kDistance, between(3, 16384));
    if (!distance) own.refuse(kDistance, "found no such variable");
    if (layer > 0 && *distance != shape.relative.distance)
      own.refuse(kDistance, "it is not that of the first layer");
    shape.relative.distance = static_cast<int>(*distance);
    const std::vector<float> biases =
        own.table().read(own.full(kTable), {shape.relative.buckets, shape.n_heads}).to_vector();
    if (layer == 0) first = biases;
    if (biases != first) shape.relative.shared = false;
  }
}

// Rotations of queries and keys, the same in all layers.
void read_ct2_rotations(const Variables& stack, int layers, int width, RotaryOptions& rotary) {
  const auto read_layer = [&](int layer) {
    const Variables attention = stack.within(layer_name(layer)).within("self_attention");
    RotaryOptions own;
    const auto rotated = attention.integer("rotary_dim", between(0, kWidths.most)).value_or(-1);
    if (rotated != 0 && rotated != width)
      attention.refuse("rotary_dim", fmt::format("expected 0 or {}, found {}", width, rotated));
    if (attention.flag("rotary_interleave", true))
      attention.refuse("rotary_interleave", "expected 0: the halves of a head are rotated");
    own.theta = attention.number("rotary_base", between(1, 1e9)).value_or(10000.0f);
    if (const auto type = attention.integer("rotary_scaling_type", between(0, 255))) {
      if (*type != 0) attention.refuse("rotary_scaling_type", "only 0, linear, is supported");
      own.scaling = RotaryScaling::linear;
      own.factor = attention.number("rotary_scaling_factor", between(1, 1e6)).value_or(1.0f);
    }
    return own;
  };
  rotary = read_layer(0);
  for (int layer = 1; layer < layers; ++layer)
    if (RotaryOptions own = read_layer(layer); options_to_json(own) != options_to_json(rotary))
      stack.refuse(layer_name(layer), "its rotations are not those of the first layer");
}

// The heads of keys and values, and the width of a head, the same in all layers.
void read_ct2_heads(const Variables& stack, int layers, StackConfig& shape) {
  shape.n_heads = static_cast<int>(stack.integer("num_heads", kHeadCounts).value_or(8));
  const int width =
      stack.within(layer_name(0)).columns("self_attention/linear_1/weight", kInnerWidths);
  if (width % shape.n_heads != 0)
    stack.refuse("num_heads", fmt::format("{} does not divide {}", shape.n_heads, width));
  if (width != shape.d_model) shape.d_key = shape.d_value = width / shape.n_heads;
  for (int layer = 0; layer < layers; ++layer) {
    const Variables attention = stack.within(layer_name(layer)).within("self_attention");
    const auto heads = attention.integer("num_heads_kv", kHeadCounts).value_or(shape.n_heads);
    if (layer > 0 && heads != shape.n_key_heads)
      attention.refuse("num_heads_kv", "it is not that of the first layer");
    shape.n_key_heads = static_cast<int>(heads);
    const int usual = width / shape.n_heads;
    if (attention.integer("head_dim", kWidths).value_or(usual) != usual)
      attention.refuse("head_dim", fmt::format("expected {}", usual));
  }
  if (shape.n_key_heads == shape.n_heads) shape.n_key_heads = 0;
}

void read_ct2_places(const Variables& stack, int layers, StackConfig& shape) {
  const Variables attention = stack.within(layer_name(0)).within("self_attention");
  const bool has_slopes = stack.flag("alibi", false);
  if (attention.has("relative_attention_bias")) return read_ct2_distances(stack, layers, shape);
  if (attention.has("rotary_dim")) {
    shape.positions = PositionKind::rotary;
    const int width = shape.d_key > 0 ? shape.d_key : shape.d_model / shape.n_heads;
    return read_ct2_rotations(stack, layers, width, shape.rotary);
  }
  if (!has_slopes) return read_ct2_positions(stack, shape);
  // All scores of a query move by the same, wherever positions are counted from.
  if (stack.flag("scale_alibi", false)) stack.refuse("scale_alibi", "expected 0");
  shape.positions = PositionKind::alibi;
}

}  // namespace

int read_ctranslate2_stack(const Variables& stack, float epsilon, StackConfig& shape) {
  const int layers = count_layers(stack);
  const Variables first = stack.within(layer_name(0)), attention = first.within("self_attention");
  shape.d_model = attention.rows("linear_1/weight", kWidths);
  read_ct2_heads(stack, layers, shape);
  shape.d_ff = first.rows("ffn/linear_0/weight", kInnerWidths);
  shape.activation = read_ct2_activation(stack);
  shape.gated_ffn = first.has("ffn/linear_0_noact/weight");
  shape.ffn_bias = first.has("ffn/linear_0/bias");
  shape.attention_biases = read_ct2_biases(attention);
  shape.norm_first = stack.flag("pre_norm", true);
  if (const bool normalizes = stack.has("layer_norm/gamma"); normalizes != shape.norm_first)
    shape.norm_output = normalizes ? OutputNorm::on : OutputNorm::off;
  shape.norm.kind = attention.has("layer_norm/beta") ? NormKind::layer : NormKind::rms;
  const float usual = shape.norm.kind == NormKind::layer ? 1e-5f : 1e-6f;
  shape.norm.epsilon = epsilon > 0.0f ? epsilon : usual;
  shape.norm_embedding = stack.has("layernorm_embedding/gamma");
  shape.embedding_scale = read_embedding_scale(stack, shape.d_model);
  shape.attention.inverse_temperature = read_queries_scale(stack, layers);
  shape.qk_norm = attention.has("q_norm/gamma");
  read_ct2_places(stack, layers, shape);
  return layers;
}

namespace {

int rows_of_source(const Variables& encoder) {
  if (encoder.has("embeddings_1/weight"))
    encoder.refuse("embeddings_1/weight", "features of words beside the words are not supported");
  return encoder.rows(
      encoder.has("embeddings_0/weight") ? "embeddings_0/weight" : "embeddings/weight",
      kVocabularySizes);
}

}  // namespace

Ctranslate2Shape read_ctranslate2_shape(TensorTable& variables, float epsilon) {
  const Variables encoder(variables, "encoder"), decoder(variables, "decoder");
  for (const auto& [stack, name] :
       {std::pair{&encoder, "multi_query_attention"}, {&decoder, "alibi"}})
    if (stack->flag(name, false)) stack->refuse(name, "it is not supported in an encoder-decoder");
  TransformerConfig config, other;
  config.n_encoder_layers = other.n_encoder_layers =
      read_ctranslate2_stack(encoder, epsilon, config);
  config.n_decoder_layers = other.n_decoder_layers =
      read_ctranslate2_stack(decoder, epsilon, other);
  // Sinusoids are a table like others beside one of others.
  if (other.positions == PositionKind::learned && encoder.has(kPositionsOfStack))
    read_ct2_table(encoder, config);
  if (config.positions == PositionKind::learned && decoder.has(kPositionsOfStack))
    read_ct2_table(decoder, other);
  // In a stack of one layer, all layers share what is the layer's own.
  if (config.n_encoder_layers == 1) config.relative.shared = other.relative.shared;
  if (config.n_decoder_layers == 1) other.relative.shared = config.relative.shared;
  set_decoder(config, other, variables.where());
  config.output_scale = decoder.number("scale_outputs", between(1e-6, 1e6)).value_or(1.0f);
  const bool zero = decoder.flag("start_from_zero_embedding", false);
  config.output_bias = zero || decoder.has("projection/bias");
  config.src_vocab_size = rows_of_source(encoder);
  config.tgt_vocab_size = decoder.rows("embeddings/weight", kVocabularySizes);
  return {config, zero};
}

}  // namespace attend
