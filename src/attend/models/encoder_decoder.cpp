#include "attend/models/encoder_decoder.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "attend/core/error.h"
#include "attend/models/recurrent.h"
#include "attend/models/transformer.h"
#include "attend/ops/linear.h"
#include "attend/tensor/panels.h"

namespace attend {

namespace {

// With embeddings multiplied by sqrt(D), rows of standard deviation 1/sqrt(D) enter the model with unit variance.
Init table_init(const EncoderDecoderConfig& config) { return {Init::Kind::normal, 1.0f / std::sqrt(static_cast<float>(config.d_model))}; }

Parameter add_table(ParameterSet& parameters, const char* name, int vocab_size, const EncoderDecoderConfig& config) {
  return parameters.add_table(name, {vocab_size, config.d_model}, table_init(config));
}

// A table that the output layer multiplies with.
Parameter add_output(ParameterSet& parameters, const char* name, const EncoderDecoderConfig& config) {
  return parameters.add_output_weights(name, {config.tgt_vocab_size, config.d_model}, table_init(config));
}

std::shared_ptr<EncoderDecoder> make(const TransformerConfig& config, auto how) { return std::make_shared<Transformer>(config, how); }
std::shared_ptr<EncoderDecoder> make(const RecurrentConfig& config, auto how) { return std::make_shared<Recurrent>(config, how); }

}  // namespace

std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config, std::uint64_t seed) {
  return std::visit([seed](const auto& one) { return make(one, seed); }, config);
}

std::shared_ptr<EncoderDecoder> make_encoder_decoder(const ArchitectureConfig& config, EncoderDecoder::Purpose purpose) {
  return std::visit([purpose](const auto& one) { return make(one, purpose); }, config);
}

EncoderDecoder::EncoderDecoder(const EncoderDecoderConfig& config)
    : src_embedding_(config.tie_embeddings == TiedEmbeddings::all
                         ? add_output(parameters_, "embedding.weight", config)
                         : add_table(parameters_, "src_embedding.weight", config.src_vocab_size, config)) {
  switch (config.tie_embeddings) {
    case TiedEmbeddings::all:
      output_ = tgt_embedding_ = src_embedding_;
      break;
    case TiedEmbeddings::target:
      output_ = tgt_embedding_ = add_output(parameters_, "tgt_embedding.weight", config);
      break;
    case TiedEmbeddings::none:
      tgt_embedding_ = add_table(parameters_, "tgt_embedding.weight", config.tgt_vocab_size, config);
      output_ = add_output(parameters_, "output_proj.weight", config);
      break;
  }
}

Variable EncoderDecoder::embed(const Parameter& table, const Ids& ids, const Positions& positions, Pass& pass) const {
  return embedding(*table, ids, std::sqrt(static_cast<float>(config().d_model)), positions, pass.dropout(config().dropout));
}

Tensor EncoderDecoder::src_embeddings() const { return float_weights(src_embedding_->value()); }

Variable EncoderDecoder::project(const Variable& hidden) const { return linear(hidden, *output_); }

std::vector<float> EncoderDecoder::target_log_probabilities(const Variable& hidden, std::span<const std::int32_t> targets) const {
  const auto ids = std::make_shared<const std::vector<std::int32_t>>(targets.begin(), targets.end());
  return attend::target_log_probabilities(hidden.value(), output_->value(), *ids);
}

CrossEntropy EncoderDecoder::loss(const Ragged& src, const Ragged& tgt, const Ids& targets, const CrossEntropyOptions& options,
                                  Pass& pass) const {
  const Variable hidden = decode(tgt, encode(src, pass), src, pass);
  return projected_cross_entropy(hidden, *output_, {}, targets, options);
}

CrossEntropy EncoderDecoder::paired_loss(const Ragged& src, const Ragged& tgt, const Ids& targets, float divergence,
                                         const CrossEntropyOptions& options, Pass& pass) const {
  const Ragged both = src.twice();
  const Variable hidden = decode(tgt.twice(), encode(both, pass), both, pass);
  return paired_cross_entropy(hidden, *output_, targets, divergence, options);
}

void check_step(std::int64_t hypotheses, std::span<const std::int32_t> parents, std::span<const std::int32_t> tokens) {
  if (parents.size() != tokens.size())
    throw ShapeError(fmt::format("[step] expected a token for every parent, got {} parents and {} tokens", parents.size(), tokens.size()));
  for (const std::int32_t parent : parents) {
    if (parent < 0 || parent >= hypotheses)
      throw ShapeError(fmt::format("[step] expected parents among {} hypotheses, counted from 0, got {}", hypotheses, parent));
  }
}

}  // namespace attend
