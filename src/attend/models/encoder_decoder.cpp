#include "attend/models/encoder_decoder.h"

#include <cmath>

#include "attend/backend/backend.h"
#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/ops/elementwise.h"

namespace attend {

namespace {

// Embeddings are multiplied by sqrt(D), so a standard deviation of 1/sqrt(D) gives unit variance.
Init table_init(int d_model) {
  return {Init::Kind::normal, 1.0f / std::sqrt(static_cast<float>(d_model))};
}

Parameter add_table(ParameterSet& parameters, const char* name, int vocab_size, int d_model) {
  return parameters.add_table(name, {vocab_size, d_model}, table_init(d_model));
}

// An embedding table that is also the output projection.
Parameter add_output(ParameterSet& parameters, const char* name, int vocab_size, int d_model) {
  return parameters.add_output_weights(name, {vocab_size, d_model}, table_init(d_model));
}

}  // namespace

EncoderDecoder::EncoderDecoder(const ArchitectureConfig& architecture)
    : architecture_(architecture) {
  validate(architecture);
  const EncoderDecoderConfig& config = common(architecture);
  const int d_model = decoder_d_model_of(architecture);
  if (config.tie_embeddings != TiedEmbeddings::all)
    src_embedding_ = add_table(
        parameters_,
        shares_inputs(config.tie_embeddings) ? "embedding.weight" : "src_embedding.weight",
        config.src_vocab_size, d_model_of(architecture));
  switch (config.tie_embeddings) {
    case TiedEmbeddings::all:
      output_ = tgt_embedding_ = src_embedding_ =
          add_output(parameters_, "embedding.weight", config.tgt_vocab_size, d_model);
      break;
    case TiedEmbeddings::target:
      output_ = tgt_embedding_ =
          add_output(parameters_, "tgt_embedding.weight", config.tgt_vocab_size, d_model);
      break;
    case TiedEmbeddings::inputs:
      tgt_embedding_ = src_embedding_;
      output_ = add_output(parameters_, "output_proj.weight", config.tgt_vocab_size, d_model);
      break;
    case TiedEmbeddings::none:
      tgt_embedding_ =
          add_table(parameters_, "tgt_embedding.weight", config.tgt_vocab_size, d_model);
      output_ = add_output(parameters_, "output_proj.weight", config.tgt_vocab_size, d_model);
      break;
  }
  if (config.output_bias)
    output_bias_ = parameters_.add("output_proj.bias", {config.tgt_vocab_size}, {});
}

Tensor EncoderDecoder::src_embeddings() const {
  return backend()->float_weights(src_embedding_->value());
}

Variable EncoderDecoder::project(const Variable& hidden) const {
  const auto [weight, bias] = output_map();
  return capped(linear(hidden, weight, bias));
}

Variable EncoderDecoder::capped(const Variable& logits) const {
  const float cap = config().logit_cap;
  return cap > 0.0f ? scale(activate(scale(logits, 1.0f / cap), Activation::tanh), cap) : logits;
}

OutputProjection EncoderDecoder::output() const {
  return {output_->value(), output_bias_ ? output_bias_->value() : Tensor()};
}

std::vector<float> EncoderDecoder::target_log_probabilities(
    const Variable& hidden, std::span<const std::int32_t> targets) const {
  return attend::target_log_probabilities(hidden.value(), output(), targets, config().logit_cap);
}

std::unique_ptr<DecodingState> EncoderDecoder::begin(const Ragged& src) const {
  std::unique_ptr<DecodingState> state = decoding();
  state->join(src);
  return state;
}

CrossEntropy EncoderDecoder::loss(const Ragged& src, const Ragged& tgt, const Ids& targets,
                                  const CrossEntropyOptions& options, Pass& pass) const {
  const Variable hidden = decode(tgt, encode(src, pass), src, pass);
  CrossEntropyOptions own = pass.in_precision(options);
  own.logit_cap = config().logit_cap;
  return projected_cross_entropy(hidden, output_map(), targets, own);
}

CrossEntropy EncoderDecoder::paired_loss(const Ragged& src, const Ragged& tgt, const Ids& targets,
                                         float divergence, const CrossEntropyOptions& options,
                                         Pass& pass) const {
  if (config().logit_cap > 0.0f)
    throw OptionError<ConfigError>("{} goes without {}", as_key("r-drop"), as_key("logit-cap"));
  const Ragged both = src.twice();
  const Variable hidden = decode(tgt.twice(), encode(both, pass), both, pass);
  return paired_cross_entropy(hidden, output_map(), targets, divergence,
                              pass.in_precision(options));
}

}  // namespace attend
