#include "attend/models/transformer.h"

#include <fmt/format.h>

#include <cmath>

#include "attend/core/error.h"
#include "attend/ops/linear.h"

namespace attend {

namespace {

const TransformerConfig& validated(const TransformerConfig& config) {
  validate(config);
  return config;
}

// With embeddings multiplied by sqrt(D), rows of standard deviation 1/sqrt(D) enter the model with unit variance.
Init embedding_init(const TransformerConfig& config) { return {Init::Kind::normal, 1.0f / std::sqrt(static_cast<float>(config.d_model))}; }

Parameter add_table(ParameterSet& parameters, const std::string& name, int vocab_size, const TransformerConfig& config) {
  return parameters.add(name + ".weight", {vocab_size, config.d_model}, embedding_init(config));
}

void check_step(const TransformerState& state, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) {
  if (parents.size() != tokens.size())
    throw ShapeError(fmt::format("[step] expected a token for every parent, got {} parents and {} tokens", parents.size(), tokens.size()));
  for (const std::int32_t parent : parents) {
    if (parent < 0 || parent >= state.hypotheses())
      throw ShapeError(fmt::format("[step] expected parents among {} hypotheses, counted from 0, got {}", state.hypotheses(), parent));
  }
}

}  // namespace

AttentionPattern TransformerState::cross_pattern() const {
  auto offsets = std::make_shared<std::vector<std::int32_t>>(1, 0);
  auto sentences = std::make_shared<std::vector<std::int32_t>>();
  for (const std::int32_t sentence : sentence_) {
    if (sentences->empty() || sentences->back() != sentence) {
      sentences->push_back(sentence);
      offsets->push_back(offsets->back());
    }
    ++offsets->back();
  }
  return {std::move(offsets), src_offsets_, std::move(sentences)};
}

Transformer::Transformer(const TransformerConfig& config)
    : config_(validated(config)),
      src_embedding_(add_table(parameters_, config.tie_embeddings == TiedEmbeddings::all ? "embedding" : "src_embedding",
                               config.src_vocab_size, config)),
      tgt_embedding_(config.tie_embeddings == TiedEmbeddings::all ? src_embedding_
                                                                  : add_table(parameters_, "tgt_embedding", config.tgt_vocab_size, config)),
      output_(config.tie_embeddings != TiedEmbeddings::none ? tgt_embedding_
                                                            : add_table(parameters_, "output_proj", config.tgt_vocab_size, config)),
      src_positions_(parameters_, "src_positions", config.positions, config.d_model, config.max_positions),
      tgt_positions_(parameters_, "tgt_positions", config.positions, config.d_model, config.max_positions),
      encoder_(parameters_, "encoder", config),
      decoder_(parameters_, "decoder", config) {}

Transformer::Transformer(const TransformerConfig& config, std::uint64_t seed) : Transformer(config) { parameters_.allocate(seed); }

Transformer::Transformer(const TransformerConfig& config, Purpose) : Transformer(config) { parameters_.allocate_for_inference(); }

Variable Transformer::embed(const Parameter& table, Ids ids, const Positions& positions, Pass& pass) const {
  return embedding(*table, ids, std::sqrt(static_cast<float>(config_.d_model)), positions, pass.dropout(config_.dropout));
}

Variable Transformer::encode(const Tokens& src, Pass& pass) const {
  return encoder_.forward(embed(src_embedding_, src.ids, src_positions_.of(*src.offsets), pass), src.self_pattern(false), pass);
}

Variable Transformer::decode(const Tokens& tgt, const Variable& memory, const Tokens& src, Pass& pass) const {
  FullContext context(memory, src, tgt);
  return decoder_.forward(embed(tgt_embedding_, tgt.ids, tgt_positions_.of(*tgt.offsets), pass), context, pass);
}

Variable Transformer::project(const Variable& hidden) const { return linear(hidden, *output_); }

std::vector<float> Transformer::target_log_probabilities(const Variable& hidden, std::span<const std::int32_t> targets) const {
  const auto ids = std::make_shared<const std::vector<std::int32_t>>(targets.begin(), targets.end());
  return attend::target_log_probabilities(hidden.value(), output_->value(), *ids);
}

CrossEntropy Transformer::loss(const Tokens& src, const Tokens& tgt, const Ids& targets, const CrossEntropyOptions& options,
                               Pass& pass) const {
  const Variable hidden = decode(tgt, encode(src, pass), src, pass);
  return projected_cross_entropy(hidden, *output_, {}, targets, options);
}

TransformerState Transformer::begin(const Tokens& src) const {
  const NoGradient guard;
  Pass pass = Pass::inference();
  TransformerState state(decoder_.layers(), src.sequences());
  state.memory_ = decoder_.project_memory(encode(src, pass));
  state.src_offsets_ = src.offsets;
  for (std::int32_t sentence = 0; sentence < src.sequences(); ++sentence) state.sentence_.push_back(sentence);
  state.length_.assign(state.sentence_.size(), 0);
  return state;
}

Tensor Transformer::step(TransformerState& state, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) const {
  const NoGradient guard;
  Pass pass = Pass::inference();
  const std::size_t rows = parents.size();
  check_step(state, parents, tokens);
  std::vector<std::int32_t> sentence(rows), length(rows);
  for (std::size_t r = 0; r < rows; ++r) {
    sentence[r] = state.sentence_[static_cast<std::size_t>(parents[r])];
    length[r] = state.length_[static_cast<std::size_t>(parents[r])];
  }
  auto ids = std::make_shared<const std::vector<std::int32_t>>(tokens.begin(), tokens.end());
  auto positions = std::make_shared<const std::vector<std::int32_t>>(length);
  const Variable x = embed(tgt_embedding_, ids, tgt_positions_.at(positions), pass);

  state.cache_.reorder(parents);
  state.cache_.extend(std::vector<std::int32_t>(rows, 1));
  for (std::int32_t& n : length) ++n;
  state.sentence_ = std::move(sentence);
  state.length_ = std::move(length);
  CachedContext context(state.cache_, state.memory_, state.cross_pattern());
  return project(decoder_.forward(x, context, pass)).value();
}

}  // namespace attend
