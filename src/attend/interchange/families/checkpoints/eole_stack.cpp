// The stacks of eole: settings of the model and of its parts, and the names of weights.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>

#include "attend/interchange/families/checkpoints/eole_parts.h"
#include "attend/interchange/families/decoders/rotary_settings.h"
#include "attend/interchange/families/families.h"

namespace attend {

namespace {

constexpr NumberRange kEoleInnerSizes = between(1, 1e6);

// What changes what a stack computes and is not supported.
void refuse_other_eole_parts(EoleSettings& settings, EoleStack kind) {
  using Setting = std::pair<const char*, nlohmann::json>;
  for (const auto& [key, value] : {Setting{"relative_positions_buckets", 0},
                                   {"num_experts", 0},
                                   {"q_gating", false},
                                   {"value_norm", false},
                                   {"qk_norm_post_rope", false},
                                   {"interpolate_mode", nullptr},
                                   {"aan_useffn", false},
                                   {"coverage_attn", false},
                                   {"layer_types", nullptr},
                                   {"global_head_dim", nullptr},
                                   {"global_heads_kv", nullptr},
                                   {"LM_type", "causal"},
                                   {"num_mtp_heads", 0},
                                   {"encoder_layer_style", "standard"},
                                   {"final_encoder_layer_norm", true}})
    settings.require(key, value);
  if (kind == EoleStack::language) {
    settings.require("with_cross_attn", false);
    return;
  }
  for (const auto& [key, value] : {Setting{"sliding_window", 0},
                                   {"ffn_layernorm", false},
                                   {"parallel_residual", false},
                                   {"query_norm", false},
                                   {"key_norm", false}})
    settings.require(key, value);
}

// What training, other kinds of models and parts that are refused read.
void ignore_other_eole_settings(EoleSettings& settings) {
  for (const char* key :
       {"src_word_vec_size", "tgt_word_vec_size", "word_vec_size", "max_position_embeddings",
        "moe_transformer_ff", "num_shared_experts", "shared_expert_gate", "first_k_dense_replace",
        "num_experts_per_tok", "moe_softmax_after", "moe_renormalize", "with_cross_attn",
        "lambda_coverage", "global_attention", "global_attention_function", "alignment_layer",
        "alignment_heads", "full_context_alignment", "lambda_align", "linear_conv_kernel_dim",
        "linear_key_head_dim", "linear_value_head_dim", "linear_num_key_heads",
        "linear_num_value_heads", "mtp_lambda", "mtp_emb_norm",
        // A part repeats these of the embeddings, which count.
        "position_encoding_type", "n_positions"})
    settings.of(key).ignore({key});
}

AttentionBiases read_eole_biases(EoleSettings& settings) {
  const bool inputs = settings.is("add_qkvbias");
  settings.require("add_key_bias", inputs);
  const bool output = settings.is("add_final_linear_bias", inputs);
  if (!inputs && output)
    settings.of("add_final_linear_bias")
        .refuse("add_final_linear_bias", "expected false without add_qkvbias");
  return output ? AttentionBiases::all : inputs ? AttentionBiases::qkv : AttentionBiases::none;
}

void read_eole_attention(EoleSettings& settings, StackConfig& shape) {
  shape.n_heads = settings.size("heads", 8, kHeadCounts);
  const int keys = settings.size("heads_kv", shape.n_heads, kHeadCounts);
  shape.n_key_heads = keys == shape.n_heads ? 0 : keys;
  const int width = settings.size("head_dim", 0, kWidths);
  if (width == 0 && shape.d_model % shape.n_heads != 0)
    settings.of("heads").refuse("heads", fmt::format("expected a divisor of {}", shape.d_model));
  if (std::int64_t{width} * shape.n_heads != shape.d_model) shape.d_key = shape.d_value = width;
  if (settings.of("attn_scaling").has("attn_scaling"))
    shape.attention.inverse_temperature = static_cast<float>(
        1 / std::sqrt(settings.of("attn_scaling").number("attn_scaling", above(0, 1e6))));
  shape.attention_biases = read_eole_biases(settings);
  shape.qk_norm = settings.is("query_norm");
  if (settings.is("key_norm") != shape.qk_norm)
    settings.of("key_norm").refuse("key_norm", "expected that of query_norm");
  shape.attention_window = settings.size("sliding_window", 0, between(0, 1e9));
}

void read_eole_network(EoleSettings& settings, StackConfig& shape) {
  constexpr const char* kName = "mlp_activation_fn";
  constexpr std::array kPlain{Activation::relu, Activation::gelu, Activation::gelu_tanh,
                              Activation::quick_gelu, Activation::swish};
  constexpr std::array kGated{Activation::gelu, Activation::gelu_tanh, Activation::swish};
  const std::size_t kind =
      settings.of(kName).choice_or(kName, 0,
                                   {"relu", "gelu", "gelu-tanh", "quick_gelu", "silu", "gated-gelu",
                                    "gated-gelu-tanh", "gated-silu"});
  shape.gated_ffn = kind >= kPlain.size();
  shape.activation = shape.gated_ffn ? kGated[kind - kPlain.size()] : kPlain[kind];
  shape.d_ff = settings.size("transformer_ff", 2048, kEoleInnerSizes);
  shape.ffn_bias = settings.is("add_ffnbias");
}

void read_eole_sublayers(EoleSettings& settings, StackConfig& shape) {
  shape.norm_first = true;
  shape.norm_branch = settings.is("ffn_layernorm");
  const bool shares = settings.is("shared_layer_norm");
  if (shape.norm_branch) settings.require("parallel_residual", false);
  if (settings.is("parallel_residual"))
    shape.sublayers = shares ? Sublayers::parallel_shared : Sublayers::parallel;
  shape.norm.kind =
      settings.of("layer_norm")
                  .choice_or("layer_norm", 0, {"standard", "standardFP32", "rms", "gemma-rms"}) < 2
          ? NormKind::layer
          : NormKind::rms;
  shape.norm.epsilon =
      static_cast<float>(settings.of("norm_eps").number_or("norm_eps", 1e-5, between(1e-12, 1)));
}

void read_eole_rotary(ForeignConfig& rope, StackConfig& shape) {
  using Setting = std::pair<const char*, nlohmann::json>;
  for (const auto& [key, value] : {Setting{"interleave_local", 0},
                                   {"rotary_dim_global", 0},
                                   {"partial_rotary_factor", 0.0},
                                   {"multidimensional_rope", false},
                                   {"xdrope_section", nullptr}})
    rope.require(key, value);
  // What all positions are moved by changes no score.
  rope.ignore({"rotary_interleave", "rotary_theta_local", "alpha", "tmax_index"});
  shape.rotary.theta = rope.number_or("rotary_theta", 10000, between(1, 1e9));
  const auto rotated =
      static_cast<int>(rope.integer_or("rotary_dim", 0, between(0, shape.key_width())));
  if (rotated % 2 != 0) rope.refuse("rotary_dim", "expected an even number");
  shape.rotary.width = rotated == shape.key_width() ? 0 : rotated;
  constexpr const char* kScaling = "scaling_type";
  rope.require(kScaling, "llama3");
  if (!rope.has(kScaling)) {
    rope.ignore({"scaling_factor", "low_freq_factor", "high_freq_factor",
                 "original_max_position_embeddings"});
    return;
  }
  shape.rotary.scaling = RotaryScaling::llama3;
  shape.rotary.factor = rope.number_or("scaling_factor", 8, between(1, 1e6));
  shape.rotary.low_factor = rope.number_or("low_freq_factor", 1, between(0.001, 1e6));
  shape.rotary.high_factor = rope.number_or("high_freq_factor", 4, between(0.001, 1e6));
  shape.rotary.original_length =
      static_cast<int>(rope.integer_or("original_max_position_embeddings", 8192, between(1, 1e9)));
}

// Its settings of rotations; without any, its defaults.
ForeignConfig& rope_of(EoleSettings& settings, ForeignConfig& none) {
  constexpr const char* kRope = "rope_config";
  ForeignConfig& holder = settings.of(kRope);
  return holder.has(kRope) ? holder.object(kRope) : none;
}

// A rule of a stack, `ours` and `theirs` behind its name and the number of a layer.
struct EoleRule {
  std::string_view ours, theirs;
};
constexpr std::array kEoleLayer{
    EoleRule{"self_attn.v_proj.*", "self_attn.linear_values.*"},
    EoleRule{"self_attn.out_proj.*", "self_attn.final_linear.*"},
    EoleRule{"cross_attn.q_proj.*", "context_attn.linear_query.*"},
    EoleRule{"cross_attn.k_proj.*", "context_attn.linear_keys.*"},
    EoleRule{"cross_attn.v_proj.*", "context_attn.linear_values.*"},
    EoleRule{"cross_attn.out_proj.*", "context_attn.final_linear.*"},
    EoleRule{"feed_forward.linear1.*", "mlp.gate_up_proj.*"},
    EoleRule{"feed_forward.linear_gate.*", "mlp.up_proj.*"},
    EoleRule{"feed_forward.linear2.*", "mlp.down_proj.*"},
};
constexpr std::array kEoleNorms{
    EoleRule{"norm1.*", "input_layernorm.*"},
    EoleRule{"norm1_branch.*", "post_attention_layernorm.*"},
    EoleRule{"norm2_branch.*", "post_feedforward_layernorm.*"},
    EoleRule{"norm3.*", "post_attention_layernorm.*"},
};

// The normalization in front of the second sublayer.
std::string_view second_norm_of_eole(const StackConfig& shape, bool has_cross_attention) {
  if (shape.norm_branch) return "pre_feedforward_layernorm.*";
  if (shape.sublayers == Sublayers::parallel) return "residual_layernorm.*";
  return has_cross_attention ? "precontext_layernorm.*" : "post_attention_layernorm.*";
}

}  // namespace

EoleSettings::EoleSettings(ForeignConfig& model, std::string_view part)
    : model_(&model), part_(model.has(part) ? &model.object(part) : nullptr) {}

ForeignConfig& EoleSettings::of(std::string_view key) {
  model_->ignore({key});
  return part_ != nullptr && part_->mentions(key) ? *part_ : *model_;
}

void read_eole_input(ForeignConfig& model, StackConfig& shape) {
  EoleSettings settings(model, "embeddings");
  settings.require("embedding_type", "standard");
  for (const char* key : {"word_vec_size", "src_word_vec_size", "tgt_word_vec_size",
                          "freeze_word_vecs_enc", "freeze_word_vecs_dec", "position_encoding",
                          "embedding_layer_norm", "token_type_vocab_size"})
    settings.of(key).ignore({key});
  constexpr const char* kType = "position_encoding_type";
  ForeignConfig& types = settings.of(kType);
  const bool has_none = types.mentions(kType) && !types.has(kType);
  constexpr std::array kKinds{PositionKind::sinusoidal, PositionKind::sinusoidal_t2t,
                              PositionKind::learned, PositionKind::rotary};
  const std::size_t kind =
      types.choice_or(kType, 0, {"SinusoidalInterleaved", "SinusoidalConcat", "Learned", "Rotary"});
  shape.positions = has_none ? PositionKind::none : kKinds[kind];
  const bool is_learned = shape.positions == PositionKind::learned;
  if (is_learned) {
    shape.max_positions = read_int(settings.of("n_positions"), "n_positions", between(1, 1e6));
    settings.require("position_shift", 0);
    settings.require("normalize", false);
  } else {
    for (const char* key : {"n_positions", "position_shift"}) settings.of(key).ignore({key});
  }
  if (adds_sinusoids(shape)) settings.require("normalize", false);
  const bool is_scaled = adds_sinusoids(shape) || settings.is("normalize");
  shape.embedding_scale = is_scaled ? 0.0f : 1.0f;
}

int read_eole_stack(EoleSettings settings, EoleStack kind, StackConfig& shape) {
  refuse_other_eole_parts(settings, kind);
  ignore_other_eole_settings(settings);
  shape.d_model = settings.size("hidden_size", 512, kWidths);
  read_eole_attention(settings, shape);
  read_eole_network(settings, shape);
  read_eole_sublayers(settings, shape);
  ForeignConfig none(nlohmann::json::object(), "");
  if (shape.positions == PositionKind::rotary) read_eole_rotary(rope_of(settings, none), shape);
  settings.of("rope_config").ignore({"rope_config"});
  return settings.size("layers", 2, kLayerCounts);
}

void add_eole_names(EoleSettings settings, EoleStack kind, const StackConfig& shape,
                    std::string_view ours, NameMap& names) {
  ForeignConfig none(nlohmann::json::object(), "");
  const bool is_rotary = shape.positions == PositionKind::rotary,
             adjacent = is_rotary && rope_of(settings, none).boolean_or("rotary_interleave", true);
  const ForeignLayout gains = settings.of("layer_norm").text_or("layer_norm", "") == "gemma-rms"
                                  ? ForeignLayout::less_one
                                  : ForeignLayout::same;
  const auto add = [&](const EoleRule& rule, ForeignLayout layout, const ForeignHeads& heads) {
    const std::string our_name = fmt::format("{}.layers.*.{}", ours, rule.ours),
                      their_name = fmt::format("{}.transformer_layers.*.{}", ours, rule.theirs);
    names.add(std::array{NameRule{our_name, their_name, layout, {}, heads}});
  };
  const int key_heads = shape.n_key_heads > 0 ? shape.n_key_heads : shape.n_heads;
  add({"self_attn.q_proj.*", "self_attn.linear_query.*"}, ForeignLayout::same,
      rotated_heads(shape, shape.n_heads, adjacent));
  add({"self_attn.k_proj.*", "self_attn.linear_keys.*"}, ForeignLayout::same,
      rotated_heads(shape, key_heads, adjacent));
  // Gains of a head are in the order of its rows.
  for (const EoleRule& rule : {EoleRule{"self_attn.q_norm.*", "self_attn.q_norm.*"},
                               EoleRule{"self_attn.k_norm.*", "self_attn.k_norm.*"}})
    add(rule, gains, rotated_heads(shape, 1, adjacent));
  for (const EoleRule& rule : kEoleLayer) add(rule, ForeignLayout::same, {});
  for (const EoleRule& rule : kEoleNorms) add(rule, gains, {});
  const bool has_cross_attention = ours == "decoder" && kind == EoleStack::translator;
  add({"norm2.*", second_norm_of_eole(shape, has_cross_attention)}, gains, {});
  const std::string our_last = fmt::format("{}.norm.*", ours),
                    their_last = fmt::format("{}.layer_norm.*", ours);
  names.add(std::array{NameRule{our_last, their_last, gains}});
}

}  // namespace attend
