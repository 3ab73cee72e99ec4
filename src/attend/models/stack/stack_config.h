// The configuration of a stack of Transformer layers in any model, with its defaults.
#pragma once

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/backend/backend.h"
#include "attend/core/options/options.h"
#include "attend/models/stack/layer_kinds.h"
#include "attend/nn/attention/multi_head_attention.h"
#include "attend/nn/positional_encoding.h"

namespace attend {

inline std::span<const std::string_view> enum_names(Activation) {
  static constexpr std::array<std::string_view, 7> names{"none",  "relu",      "gelu",      "tanh",
                                                         "swish", "gelu_tanh", "quick_gelu"};
  return names;
}

// Normalization of the output of the last layer. standard: unless sublayers are normalized after
// their addition.
enum class OutputNorm { standard, on, off };
inline std::span<const std::string_view> enum_names(OutputNorm) {
  static constexpr std::array<std::string_view, 3> names{"standard", "on", "off"};
  return names;
}

// Biases of attention scores by distance beside the positions (relative_positions.h): none unless
// the positions are such biases themselves, or those of the positions relative or alibi, or
// disentangled attention (disentangled_positions.h).
enum class DistanceBiases { standard, relative, alibi, disentangled };
inline std::span<const std::string_view> enum_names(DistanceBiases) {
  static constexpr std::array<std::string_view, 4> names{"standard", "relative", "alibi",
                                                         "disentangled"};
  return names;
}

// What the sublayers of a layer read: the sum behind the one before, or all the input of the layer
// (Wang & Komatsuzaki 2021, GPT-J), each through its own normalization or all through that of the
// first.
enum class Sublayers { sequential, parallel, parallel_shared };
inline std::span<const std::string_view> enum_names(Sublayers) {
  static constexpr std::array<std::string_view, 3> names{"sequential", "parallel",
                                                         "parallel_shared"};
  return names;
}

// Beyond what a machine can hold, and small enough that the product of three cannot overflow.
inline constexpr NumberRange kWidths = between(1, 65536);
inline constexpr NumberRange kLayerCounts = between(1, 1024);

struct StackConfig {
  int d_model = 512;
  int n_heads = 8;
  int n_key_heads = 0;
  int d_ff = 2048;
  int d_key = 0;
  int d_value = 0;
  float dropout = 0.1f;
  float attention_dropout = 0.0f;
  float activation_dropout = 0.0f;
  Activation activation = Activation::relu;
  bool gated_ffn = false;
  bool ffn_bias = true;
  bool ffn_hidden_bias = true;
  int experts = 0;
  int experts_per_token = 2;
  int expert_width = 0;
  int shared_expert_width = 0;
  bool router_norm = true;
  float router_balance = 0.01f;
  std::string expert_layers;
  AttentionBiases attention_biases = AttentionBiases::all;
  bool qk_norm = false;
  QkNormSpan qk_norm_span = QkNormSpan::head;
  Sublayers sublayers = Sublayers::sequential;
  float residual_scale = 1.0f;
  bool norm_first = false;
  bool norm_branch = false;
  bool norm_input = true;
  bool norm_keys = true;
  OutputNorm norm_output = OutputNorm::standard;
  NormOptions norm;
  bool norm_embedding = false;
  float embedding_scale = 0.0f;
  PositionKind positions = PositionKind::sinusoidal;
  int max_positions = 1024;
  int first_position = 0;
  RotaryOptions rotary;
  RelativeOptions relative;
  DistanceBiases distance_biases = DistanceBiases::standard;
  int layer_groups = 0;
  AttentionVariant attention;
  float attention_cap = 0.0f;
  int attention_window = 0;
  std::string attention_layers;
  double local_rotary_theta = 0.0;

  // The factor of the embeddings.
  float scale_of_embeddings() const {
    return embedding_scale > 0.0f ? embedding_scale : std::sqrt(static_cast<float>(d_model));
  }
  bool normalizes_output() const {
    return norm_output == OutputNorm::standard ? norm_first || norm_branch
                                               : norm_output == OutputNorm::on;
  }
  std::vector<LayerKind> kinds_of_layers(int layers) const {
    return layer_kinds(attention_layers, layers,
                       attention_window > 0 ? LayerKind::local : LayerKind::global);
  }
  std::vector<FeedForwardKind> kinds_of_networks(int layers) const {
    return feed_forward_kinds(expert_layers, layers,
                              experts > 0 ? FeedForwardKind::experts : FeedForwardKind::dense);
  }
  // Whether the pattern of layers has this kind.
  bool has_layers(LayerKind kind) const;
  // The width of the keys of one head.
  int key_width() const { return d_key > 0 ? d_key : d_model / n_heads; }
  // Whether scores of attention have biases by distance, learned ones or slopes.
  bool has_relative_biases() const {
    return positions == PositionKind::relative || distance_biases == DistanceBiases::relative;
  }
  bool has_slopes() const {
    return positions == PositionKind::alibi || distance_biases == DistanceBiases::alibi;
  }
  // The layer of a stack of `layers` whose parameters layer i has: its own, or that of its group.
  int parameters_of_layer(int i, int layers) const {
    return layer_groups == 0 ? i
                             : static_cast<int>(i / (static_cast<double>(layers) / layer_groups));
  }
  // Positions of a learned table; 0: sequences may have any length.
  std::int64_t learned_positions() const {
    return positions == PositionKind::learned ? max_positions : 0;
  }
};

// visit_depth() visits the number of layers, which depends on the model and comes after the widths.
template <class Visitor, class VisitDepth>
void stack_fields(StackConfig& c, Visitor&& visit, const VisitDepth& visit_depth) {
  visit("d-model", c.d_model, kWidths, "hidden size of the model");
  visit("n-heads", c.n_heads, kHeadCounts,
        "attention heads; must divide d-model unless d-key and d-value are given");
  visit("n-key-heads", c.n_key_heads, between(0, kHeadCounts.most),
        "heads of keys and values, each shared by several attention heads; 0: n-heads");
  visit("d-ff", c.d_ff, between(1, 1e6), "hidden size of the feed-forward network");
  visit_depth();
  visit("d-key", c.d_key, between(0, kWidths.most),
        "width of one head's queries and keys; 0: d-model / n-heads");
  visit("d-value", c.d_value, between(0, kWidths.most),
        "width of one head's values; 0: d-model / n-heads");
  visit("dropout", c.dropout, dropout_shares(), "dropout on embeddings and sublayer outputs");
  visit("attention-dropout", c.attention_dropout, dropout_shares(), "dropout on attention weights");
  visit("activation-dropout", c.activation_dropout, dropout_shares(),
        "dropout inside the feed-forward network");
  visit("activation", c.activation,
        "activation of the feed-forward network; gelu_tanh is GPT-2's approximation of gelu");
  visit("gated-ffn", c.gated_ffn,
        "multiply the hidden layer of the feed-forward network by a second linear map (GLU)");
  visit("ffn-bias", c.ffn_bias, "biases in the feed-forward network");
  visit("ffn-hidden-bias", c.ffn_hidden_bias,
        "with ffn-bias, biases also in the hidden layer of the feed-forward network");
  visit("experts", c.experts, between(0, 1024),
        "networks of which a router selects a few for each token, in place of one feed-forward "
        "network; 0: none");
  visit("experts-per-token", c.experts_per_token, between(1, 1024),
        "experts that compute a token, those with the highest router probability");
  visit("expert-width", c.expert_width, between(0, 1e6), "hidden size of an expert; 0: d-ff");
  visit("shared-expert-width", c.shared_expert_width, between(0, 1e6),
        "with experts, hidden size of a further one that computes every token; 0: none");
  visit("router-norm", c.router_norm,
        "divide the weights of a token's experts by their sum; one expert per token learns no "
        "routing then");
  visit("router-balance", c.router_balance, between(0, 1e3),
        "weight of the loss by which training gives all experts equal shares of the tokens");
  visit("expert-layers", c.expert_layers,
        "which layers have experts: dense or experts, repeated, such as dense,experts; empty: "
        "all");
  visit("attention-biases", c.attention_biases,
        "biases in attention: all, qkv (on queries, keys and values only) or none");
  visit("qk-norm", c.qk_norm, "normalize the queries and the keys of attention");
  visit("qk-norm-span", c.qk_norm_span,
        "what qk-norm normalizes at once: head (each head alone) or all (all heads of a token)");
  visit("sublayers", c.sublayers,
        "sequential, or parallel: all read the input of the layer; parallel_shared: through one "
        "normalization");
  visit("residual-scale", c.residual_scale, between(-1e6, 1e6),
        "factor of what each sublayer adds to the residual stream");
  visit("norm-first", c.norm_first,
        "normalize before each sublayer (pre-norm) instead of after each as in the paper");
  visit("norm-branch", c.norm_branch,
        "normalize what each sublayer adds; without norm-first, instead of the sum");
  visit("norm-input", c.norm_input,
        "with norm-first, also normalize before the first sublayer of the first layer");
  visit("norm-keys", c.norm_keys,
        "with norm-first, normalize the input of keys and values in self-attention, not only that "
        "of queries");
  visit("norm-output", c.norm_output,
        "normalize the output of the last layer: on, off, or standard (on with norm-first or "
        "norm-branch)");
  visit("norm", c.norm.kind,
        "layer: layer normalization; rms: division by the root mean square alone, without a bias");
  visit("norm-epsilon", c.norm.epsilon, between(1e-12, 1),
        "epsilon in the denominator of the normalization");
  visit("norm-bias", c.norm.bias, "biases in layer normalization");
  visit("norm-embedding", c.norm_embedding, "normalize the embeddings before the first layer");
  visit("embedding-scale", c.embedding_scale, between(0, 1e6),
        "factor of the embeddings; 0: the square root of d-model");
  visit("positions", c.positions,
        "position encoding: sinusoidal (as in the paper), sinusoidal_halves, sinusoidal_t2t, "
        "learned, rotary, relative, alibi or none");
  visit("max-positions", c.max_positions, between(1, 1e6), "size of a learned table of positions");
  visit("first-position", c.first_position, between(0, 1e6),
        "position of the first token in sinusoids");
  fields(c.rotary, visit);
  fields(c.relative, visit);
  visit("distance-biases", c.distance_biases,
        "biases of attention by distance, beside positions: relative, alibi, disentangled "
        "(DeBERTa), or standard (those of the positions)");
  visit("layer-groups", c.layer_groups, between(0, kLayerCounts.most),
        "groups of consecutive layers of a stack that share their parameters; 0: no layer shares "
        "any");
  fields(c.attention, visit);
  visit("attention-cap", c.attention_cap, between(0, 1e6),
        "soft cap of the attention scores: a score s becomes cap tanh(s / cap); 0: none");
  visit("attention-window", c.attention_window, between(0, 1e9),
        "self-attention of local layers sees tokens fewer than this many positions away; 0: all");
  visit("attention-layers", c.attention_layers,
        "kinds of layers, repeated: local, global or unrotated (without rotary positions), such as "
        "local:5,global; empty: all alike");
  visit("local-rotary-theta", c.local_rotary_theta, between(0, 1e9),
        "base of the wavelengths of rotary positions in local layers, which are not stretched; 0: "
        "as in the others");
}

// Checks the constraints between options (the heads). Throws ConfigError naming the invalid option.
void validate_stack(const StackConfig& config);

}  // namespace attend
