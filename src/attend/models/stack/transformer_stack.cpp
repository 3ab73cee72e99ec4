#include "attend/models/stack/transformer_stack.h"

#include <fmt/format.h>

#include <cmath>

#include "attend/autograd/recompute.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/nn/experts.h"
#include "attend/nn/residual_step.h"
#include "attend/nn/simple_recurrent_unit.h"
#include "attend/ops/elementwise.h"

namespace attend {

namespace {

MultiHeadAttentionOptions attention_of(const StackConfig& config, int d_memory = 0) {
  MultiHeadAttentionOptions options;
  options.d_model = config.d_model;
  options.d_memory = d_memory;
  options.n_heads = config.n_heads;
  options.d_key = config.d_key;
  options.d_value = config.d_value;
  options.variant = config.attention;
  options.dropout = config.attention_dropout;
  options.biases = config.attention_biases;
  options.n_key_heads = config.n_key_heads;
  options.cap = config.attention_cap;
  if (config.qk_norm) options.qk_norm = config.norm;
  options.qk_norm_span = config.qk_norm_span;
  return options;
}

// Null for other positions.
std::shared_ptr<const RelativePositions> relative_positions_of(ParameterSet& parameters,
                                                               const std::string& path,
                                                               const StackConfig& config,
                                                               bool causal) {
  if (config.has_slopes()) return RelativePositions::alibi(config.n_heads);
  if (!config.has_relative_biases()) return nullptr;
  return RelativePositions::learned(parameters, path + ".relative_positions", config.n_heads,
                                    config.relative, causal);
}

std::shared_ptr<const DisentangledPositions> disentangled_positions_of(ParameterSet& parameters,
                                                                       const std::string& path,
                                                                       const StackConfig& config,
                                                                       bool causal) {
  if (config.distance_biases != DistanceBiases::disentangled) return nullptr;
  if (causal)
    throw OptionError<ConfigError>("{}: disentangled is for encoders alone",
                                   as_key("distance-biases"));
  return std::make_shared<DisentangledPositions>(
      parameters, path + ".disentangled_positions",
      DisentangledPositions::Options{config.d_model, config.relative, config.norm, config.dropout});
}

FeedForwardOptions feed_forward_of(const StackConfig& config) {
  return {config.d_model,
          config.d_ff,
          config.activation,
          config.activation_dropout,
          config.gated_ffn,
          config.ffn_bias,
          config.ffn_bias && config.ffn_hidden_bias};
}

std::unique_ptr<const PositionWise> position_wise(ParameterSet& parameters, const std::string& path,
                                                  const StackConfig& config, FeedForwardKind kind) {
  FeedForwardOptions network = feed_forward_of(config);
  if (kind == FeedForwardKind::dense)
    return std::make_unique<FeedForward>(parameters, path, network);
  if (config.expert_width > 0) network.d_ff = config.expert_width;
  return std::make_unique<Experts>(
      parameters, path,
      ExpertOptions{network, config.experts, config.experts_per_token, config.router_norm,
                    config.shared_expert_width, config.router_balance});
}

struct SublayerPlace {
  std::string layer;
  std::string sublayer;
  int number = 1;         // of its norm
  bool is_first = false;  // of all sublayers of the stack
};

SublayerConnection connection_of(ParameterSet& parameters, const StackConfig& config,
                                 const SublayerPlace& place) {
  const bool shared = (place.number > 1 && config.sublayers == Sublayers::parallel_shared) ||
                      (place.is_first && !config.norm_input);
  return {parameters,
          fmt::format("{}.norm{}", place.layer, place.number),
          {config.d_model, config.norm, config.dropout, config.norm_first, config.norm_branch,
           config.residual_scale, shared},
          place.sublayer};
}

}  // namespace

std::unique_ptr<const SequenceMixing> self_attention(ParameterSet& parameters,
                                                     const std::string& path,
                                                     const StackConfig& config,
                                                     const LayerTraits& traits) {
  MultiHeadAttentionOptions options = attention_of(config);
  options.relative = traits.relative;
  options.disentangled = traits.disentangled;
  // Three terms in place of one.
  if (options.disentangled != nullptr && options.variant.inverse_temperature == 0.0f)
    options.variant.inverse_temperature =
        1.0f / std::sqrt(3.0f * static_cast<float>(config.key_width()));
  const bool local = traits.kind == LayerKind::local;
  if (local) options.window = config.attention_window;
  if (config.positions == PositionKind::rotary && traits.kind != LayerKind::unrotated)
    options.rotary =
        local && config.local_rotary_theta > 0
            ? RotaryOptions{.theta = config.local_rotary_theta, .width = config.rotary.width}
            : config.rotary;
  return std::make_unique<MultiHeadAttention>(parameters, path, options);
}

TransformerLayer::TransformerLayer(ParameterSet& parameters, const std::string& path,
                                   const StackConfig& config, const Role& role,
                                   std::unique_ptr<const SequenceMixing> mixing)
    : mixing_(std::move(mixing)),
      sublayers_(config.sublayers),
      self_connection_(
          connection_of(parameters, config, {path, mixing_->path(), 1, role.is_first})),
      norm_keys_(!config.norm_first || config.norm_keys),
      cross_(role.cross_attention
                 ? std::optional(CrossAttention{
                       {parameters, path + ".cross_attn", attention_of(config, role.d_memory)},
                       connection_of(parameters, config, {path, path + ".cross_attn", 2})})
                 : std::nullopt),
      feed_forward_(position_wise(parameters, path + ".feed_forward", config, role.network)),
      feed_forward_connection_(connection_of(
          parameters, config, {path, path + ".feed_forward", role.cross_attention ? 3 : 2})) {}

namespace {

template <class Sublayer>
Variable connected(const SublayerConnection& connection, const Variable& x, Pass& pass,
                   const Sublayer& sublayer) {
  return connection.add(x, sublayer(connection.input(x, pass)), pass);
}

}  // namespace

Variable TransformerLayer::forward(const Variable& x, AttentionContext& context, int layer,
                                   Pass& pass) const {
  const auto self = [&](const Variable& in) {
    return context.mix(*mixing_, layer, norm_keys_ ? in : SelfAttentionInput(in, x), pass);
  };
  const auto memory = [&](const Variable& in) {
    return context.attend_to_memory(cross_->attention, layer, in, pass);
  };
  const auto feed_forward = [&](const Variable& in) { return feed_forward_->forward(in, pass); };
  if (sublayers_ == Sublayers::sequential) {
    Variable y = connected(self_connection_, x, pass, self);
    if (cross_) y = connected(cross_->connection, y, pass, memory);
    return connected(feed_forward_connection_, y, pass, feed_forward);
  }
  const Variable first = self_connection_.input(x, pass);
  const auto read_by = [&](const SublayerConnection& connection) {
    return sublayers_ == Sublayers::parallel_shared ? first : connection.input(x, pass);
  };
  Variable y = self_connection_.add(x, self(first), pass);
  if (cross_) y = cross_->connection.add(y, memory(read_by(cross_->connection)), pass);
  return feed_forward_connection_.add(y, feed_forward(read_by(feed_forward_connection_)), pass);
}

namespace {

// The layer is a function of its input, the memory and the state of the pass before it.
Variable recomputed_layer(const TransformerLayer& layer, const Variable& x,
                          const SequenceContext& context, int index, Pass& pass) {
  std::vector<Variable> inputs{x};
  if (context.memory().defined()) inputs.push_back(context.memory());
  const auto after = std::make_shared<Pass>(pass);
  const auto run = [&layer, context = context.with_memory({}), index, before = pass,
                    after](const std::vector<Variable>& in) {
    SequenceContext own = context.with_memory(in.size() > 1 ? in[1] : Variable());
    *after = before;
    return layer.forward(in[0], own, index, *after);
  };
  const Variable y = recomputed(inputs, run);
  pass = *after;
  return y;
}

}  // namespace

TransformerStack::TransformerStack(ParameterSet& parameters, const std::string& path,
                                   const StackConfig& config, const StackRole& role)
    : path_(path), output_scale_(role.output_scale) {
  if (config.layer_groups > role.layers)
    throw OptionError<ConfigError>("{}: {} groups of {} layers", as_key("layer-groups"),
                                   config.layer_groups, role.layers);
  const bool has_own_positions = config.has_relative_biases() && !config.relative.shared;
  const auto shared = has_own_positions || role.recurrent
                          ? nullptr
                          : relative_positions_of(parameters, path, config, role.causal);
  const auto disentangled =
      role.recurrent ? nullptr : disentangled_positions_of(parameters, path, config, role.causal);
  const std::vector<LayerKind> kinds = config.kinds_of_layers(role.layers);
  const auto mixing_of = [&](const std::string& layer,
                             LayerKind kind) -> std::unique_ptr<const SequenceMixing> {
    if (role.recurrent)
      return std::make_unique<SimpleRecurrentUnit>(parameters, layer + ".recurrence",
                                                   config.d_model);
    const std::string self = layer + ".self_attn";
    const auto own =
        has_own_positions ? relative_positions_of(parameters, self, config, role.causal) : shared;
    return self_attention(parameters, self, config, {kind, own, disentangled});
  };
  const std::vector<FeedForwardKind> networks = config.kinds_of_networks(role.layers);
  layers_.reserve(static_cast<std::size_t>(role.layers));
  for (int i = 0; i < role.layers; ++i) {
    const std::string layer = fmt::format("{}.layers.{}", path, i);
    if (const int owner = config.parameters_of_layer(i, role.layers); owner != i)
      parameters.share(layer, fmt::format("{}.layers.{}", path, owner));
    layers_.emplace_back(parameters, layer, config,
                         TransformerLayer::Role{role.cross_attention, role.d_memory, i == 0,
                                                networks[static_cast<std::size_t>(i)]},
                         mixing_of(layer, kinds[static_cast<std::size_t>(i)]));
  }
  if (config.normalizes_output())
    norm_.emplace(parameters, path + ".norm", config.d_model, config.norm);
  if (role.output_width > 0)
    narrowing_.emplace(parameters, path + ".narrowing", config.d_model, role.output_width,
                       /*bias=*/false);
}

Variable TransformerStack::forward(Variable x, AttentionContext& context, Pass& pass) const {
  const auto record = [&pass](const Variable& state) {
    if (pass.hidden != nullptr) pass.hidden->push_back(state.value());
  };
  if (pass.residual != nullptr) pass.residual->push_back({.module = path_, .added = x.value()});
  pass.keep(path_, "sum", x);
  for (int i = 0; i < layers(); ++i) {
    record(x);
    const TransformerLayer& layer = layers_[static_cast<std::size_t>(i)];
    const SequenceContext* const whole = pass.recompute ? context.whole() : nullptr;
    x = whole != nullptr ? recomputed_layer(layer, x, *whole, i, pass)
                         : layer.forward(x, context, i, pass);
  }
  if (norm_) {
    norm_->record(pass);
    x = norm_->forward(x);
  }
  if (narrowing_) x = narrowing_->forward(x, pass);
  record(x);
  if (output_scale_ != 1.0f) {
    if (pass.residual != nullptr)
      pass.residual->push_back({.module = path_, .factor = output_scale_});
    x = scale(x, output_scale_);
  }
  if (norm_ || output_scale_ != 1.0f) pass.keep(path_, "output", x);
  return x;
}

std::vector<Tensor> TransformerStack::project_memory(const Variable& memory) const {
  std::vector<Tensor> projected;
  projected.reserve(layers_.size());
  for (const TransformerLayer& layer : layers_) projected.push_back(layer.project_memory(memory));
  return projected;
}

}  // namespace attend
