#include "attend/models/language_transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "attend/core/error.h"
#include "attend/ops/elementwise.h"
#include "attend/ops/linear.h"

namespace attend {

namespace {

// The stack's own checks are about two vocabularies and a decoder too, which there are not.
TransformerConfig checked_stack(const LanguageTransformerConfig& config) {
  TransformerConfig stack = config.stack;
  stack.src_vocab_size = stack.tgt_vocab_size = config.vocab_size;
  stack.n_decoder_layers = 1;
  return stack;
}

const LanguageTransformerConfig& validated(const LanguageTransformerConfig& config) {
  validate(config);
  return config;
}

// With embeddings multiplied by sqrt(D), rows of standard deviation 1/sqrt(D) enter the model with unit variance.
Parameter add_table(ParameterSet& parameters, const std::string& name, const LanguageTransformerConfig& config) {
  const int width = config.stack.d_model;
  return parameters.add(name, {config.vocab_size, width}, {Init::Kind::normal, 1.0f / std::sqrt(static_cast<float>(width))});
}

}  // namespace

void validate(const LanguageTransformerConfig& config) {
  if (config.layers() < 1) throw ConfigError(fmt::format("n-layers: expected at least 1, got {}", config.layers()));
  validate(checked_stack(config));
  if (!(config.output_dropout >= 0.0f && config.output_dropout < 1.0f))
    throw ConfigError(fmt::format("output-dropout: expected a probability in [0, 1), got {}", config.output_dropout));
}

LanguageTransformer::LanguageTransformer(const LanguageTransformerConfig& config)
    : config_(validated(config)),
      embedding_(add_table(parameters_, "embedding.weight", config)),
      output_(config.tied ? embedding_ : add_table(parameters_, "output_proj.weight", config)),
      positions_(parameters_, "positions", config.stack.positions, config.stack.d_model, config.stack.max_positions),
      stack_(parameters_, "decoder", config.stack) {}

LanguageTransformer::LanguageTransformer(const LanguageTransformerConfig& config, std::uint64_t seed) : LanguageTransformer(config) {
  parameters_.allocate(seed);
}

LanguageTransformer::LanguageTransformer(const LanguageTransformerConfig& config, Purpose) : LanguageTransformer(config) {
  parameters_.allocate_for_inference();
}

Variable LanguageTransformer::embed(Ids ids, const Positions& positions, Pass& pass) const {
  const float scale = std::sqrt(static_cast<float>(config_.stack.d_model));
  return embedding(*embedding_, ids, scale, positions, pass.dropout(config_.stack.dropout));
}

Variable LanguageTransformer::hidden(const Tokens& text, Pass& pass) const {
  return stack_.forward(embed(text.ids, positions_.of(*text.offsets), pass), text.self_pattern(true), pass);
}

Variable LanguageTransformer::project(const Variable& hidden) const { return linear(hidden, *output_); }

std::vector<float> LanguageTransformer::target_log_probabilities(const Variable& hidden, std::span<const std::int32_t> targets) const {
  const std::vector<std::int32_t> ids(targets.begin(), targets.end());
  return attend::target_log_probabilities(hidden.value(), output_->value(), ids);
}

CrossEntropy LanguageTransformer::loss(const Tokens& text, const Ids& targets, const CrossEntropyOptions& options, Pass& pass) const {
  const Variable states = dropout(hidden(text, pass), pass.dropout(config_.output_dropout));
  return projected_cross_entropy(states, *output_, {}, targets, options);
}

Variable LanguageTransformer::read(LanguageState& state, std::span<const std::int32_t> parents,
                                   std::span<const std::int32_t> tokens) const {
  const NoGradient guard;
  Pass pass = Pass::inference();
  if (parents.size() != tokens.size())
    throw ShapeError(fmt::format("[step] expected a token for every parent, got {} parents and {} tokens", parents.size(), tokens.size()));
  std::vector<std::int32_t> length;
  for (const std::int32_t parent : parents) {
    if (parent < 0 || parent >= state.hypotheses())
      throw ShapeError(fmt::format("[step] expected parents among {} hypotheses, counted from 0, got {}", state.hypotheses(), parent));
    length.push_back(state.length(parent));
  }
  auto ids = std::make_shared<const std::vector<std::int32_t>>(tokens.begin(), tokens.end());
  const Variable x = embed(std::move(ids), positions_.at(std::make_shared<const std::vector<std::int32_t>>(length)), pass);

  state.cache_.reorder(parents);
  state.cache_.extend(std::vector<std::int32_t>(parents.size(), 1));
  for (std::int32_t& n : length) ++n;
  state.length_ = std::move(length);
  return stack_.step(x, state.cache_, pass);
}

Tensor LanguageTransformer::step(LanguageState& state, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) const {
  return project(read(state, parents, tokens)).value();
}

}  // namespace attend
