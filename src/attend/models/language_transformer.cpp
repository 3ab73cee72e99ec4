#include "attend/models/language_transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"
#include "attend/models/stack/stack_decoding.h"
#include "attend/ops/linear.h"

namespace attend {

namespace {

// Embeddings are multiplied by sqrt(D), so a standard deviation of 1/sqrt(D) gives unit variance.
Init table_init(const LanguageTransformerConfig& config) {
  return {Init::Kind::normal, 1.0f / std::sqrt(static_cast<float>(config.width_of_embeddings()))};
}

Parameter add_embedding(ParameterSet& parameters, const LanguageTransformerConfig& config) {
  const Shape shape{config.vocab_size, config.width_of_embeddings()};
  return config.tied ? parameters.add_output_weights("embedding.weight", shape, table_init(config))
                     : parameters.add_table("embedding.weight", shape, table_init(config));
}

Parameter add_output(ParameterSet& parameters, const LanguageTransformerConfig& config) {
  return parameters.add_output_weights(
      "output_proj.weight", {config.vocab_size, config.width_of_embeddings()}, table_init(config));
}

std::vector<Linear> add_projections(ParameterSet& parameters,
                                    const LanguageTransformerConfig& config) {
  std::vector<Linear> projections;
  for (int j = 0; j < config.previous_tokens; ++j) {
    projections.emplace_back(parameters, fmt::format("previous.{}", j),
                             config.width_of_embeddings(), config.d_model, /*bias=*/false);
  }
  return projections;
}

// Stands for tokens before the start of a sequence: the padding token, which no text contains.
constexpr std::int32_t kNothing = 0;

// The token `distance` places before each.
Ids shifted(const Ragged& text, std::int32_t distance) {
  std::vector<std::int32_t> ids(text.ids->size(), kNothing);
  for (std::size_t b = 0; b + 1 < text.offsets->size(); ++b) {
    const std::int32_t begin = (*text.offsets)[b], end = (*text.offsets)[b + 1];
    for (std::int32_t n = begin + distance; n < end; ++n)
      ids[static_cast<std::size_t>(n)] = text.ids[n - distance];
  }
  return ids;
}

}  // namespace

void validate(const LanguageTransformerConfig& config) {
  check_options(config);
  validate_stack(config);
  require_in_range("vocab-size", config.vocab_size, kVocabularySizes);
}

LanguageTransformer::LanguageTransformer(const LanguageTransformerConfig& config)
    : Network(config),
      embedding_(add_embedding(parameters_, config)),
      output_(config.tied ? embedding_ : add_output(parameters_, config)),
      output_bias_(config.output_bias ? parameters_.add("output_proj.bias", {config.vocab_size}, {})
                                      : Parameter()),
      previous_(add_projections(parameters_, config)),
      input_(parameters_, {"decoder", ""}, config,
             {.width = config.embedding_width, .projects = StackInput::Projects::tokens}),
      stack_(parameters_, "decoder", config,
             {.layers = config.n_layers,
              .causal = true,
              .output_scale = config.output_scale,
              .output_width = config.embedding_width}) {}

Variable LanguageTransformer::with_previous(Variable x, const std::vector<Ids>& previous,
                                            Pass& pass) const {
  const float scale = config_.scale_of_embeddings();
  for (std::size_t j = 0; j < previous_.size(); ++j)
    x = add(x, previous_[j].forward(
                   embedding(*embedding_, previous[j], scale, {}, pass.dropout(config_.dropout)),
                   pass));
  return x;
}

Variable LanguageTransformer::hidden(const Ragged& text, Pass& pass) const {
  std::vector<Ids> previous;
  for (std::int32_t j = 1; j <= config_.previous_tokens; ++j) previous.push_back(shifted(text, j));
  SequenceContext context(text, /*causal=*/!sees_later_tokens_);
  const Variable x = input_.whole(embedding_, text, pass);
  return stack_.forward(with_previous(x, previous, pass), context, pass);
}

Variable LanguageTransformer::project(const Variable& hidden) const {
  const auto [weight, bias] = output_map();
  const Variable logits = linear(hidden, weight, bias);
  const float cap = config_.logit_cap;
  return cap > 0.0f ? scale(activate(scale(logits, 1.0f / cap), Activation::tanh), cap) : logits;
}

std::vector<float> LanguageTransformer::target_log_probabilities(
    const Variable& hidden, std::span<const std::int32_t> targets) const {
  return attend::target_log_probabilities(hidden.value(), output(), targets, config_.logit_cap);
}

CrossEntropy LanguageTransformer::loss(const Ragged& text, const Ids& targets,
                                       const CrossEntropyOptions& options, Pass& pass) const {
  CrossEntropyOptions own = pass.in_precision(options);
  own.logit_cap = config_.logit_cap;
  return projected_cross_entropy(output_states(text, pass), output_map(), targets, own);
}

CrossEntropy LanguageTransformer::sampled_loss(const Ragged& text, const Ids& targets,
                                               const ClassSample& sample,
                                               const CrossEntropyOptions& options,
                                               Pass& pass) const {
  if (config_.logit_cap > 0.0f)
    throw OptionError<ConfigError>("{} needs all logits, not those of an {}", as_key("logit-cap"),
                                   as_key("output-sample"));
  if (config_.output_bias)
    throw OptionError<ConfigError>("{} goes without an {}", as_key("output-bias"),
                                   as_key("output-sample"));
  return sampled_cross_entropy(output_states(text, pass), *output_, sample, targets,
                               pass.in_precision(options));
}

std::unique_ptr<StackDecoding> LanguageTransformer::begin(std::int64_t hypotheses) const {
  require_mask(sees_later_tokens_);
  const auto embed_step = [this](const StepTokens& step) {
    Pass pass = Pass::inference();
    const Variable x = input_.step(embedding_, step.ids, step.positions, pass);
    return with_previous(x, step.earlier, pass);
  };
  auto state = std::make_unique<StackDecoding>(stack_, embed_step, config_.previous_tokens);
  state->join(hypotheses);
  return state;
}

}  // namespace attend
