#include "attend/models/architecture.h"

#include "attend/core/options/number_range.h"
#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend {

namespace {

void validate_shared(const EncoderDecoderConfig& c) {
  require_in_range("src-vocab-size", c.src_vocab_size, kVocabularySizes);
  require_in_range("tgt-vocab-size", c.tgt_vocab_size, kVocabularySizes);
  if (shares_inputs(c.tie_embeddings) && c.src_vocab_size != c.tgt_vocab_size)
    throw OptionError<ConfigError>(
        "{}: {} needs one joint vocabulary, got {} source and {} target entries",
        as_key("tie-embeddings"),
        enum_names(c.tie_embeddings)[static_cast<std::size_t>(c.tie_embeddings)], c.src_vocab_size,
        c.tgt_vocab_size);
}

void validate_one(const TransformerConfig& c) {
  check_options(c);
  validate_stack(c);
  validate_shared(c);
}

void validate_one(const RecurrentConfig& c) {
  check_options(c);
  validate_shared(c);
}

}  // namespace

std::string_view name_of(const ArchitectureConfig& config) {
  return enum_names(Architecture())[config.index()];
}

EncoderDecoderConfig& common(ArchitectureConfig& config) {
  return std::visit([](EncoderDecoderConfig& one) -> EncoderDecoderConfig& { return one; }, config);
}

const EncoderDecoderConfig& common(const ArchitectureConfig& config) {
  return std::visit(
      [](const EncoderDecoderConfig& one) -> const EncoderDecoderConfig& { return one; }, config);
}

int d_model_of(const ArchitectureConfig& config) {
  return std::visit([](const auto& one) { return one.d_model; }, config);
}

void validate(const ArchitectureConfig& config) {
  std::visit([](const auto& one) { validate_one(one); }, config);
}

ArchitectureConfig ModelOptions::chosen() const {
  if (arch == Architecture::transformer) return transformer;
  RecurrentConfig config;
  static_cast<RecurrentWidths&>(config) = rnn;
  static_cast<EncoderDecoderConfig&>(config) = transformer;
  config.d_model = transformer.d_model;
  config.dropout = transformer.dropout;
  config.attention = transformer.attention;
  return config;
}

ModelOptions ModelOptions::of(const ArchitectureConfig& config) {
  ModelOptions options;
  options.arch = static_cast<Architecture>(config.index());
  if (const auto* const transformer = std::get_if<TransformerConfig>(&config)) {
    options.transformer = *transformer;
    return options;
  }
  const auto& recurrent = std::get<RecurrentConfig>(config);
  options.rnn = recurrent;
  static_cast<EncoderDecoderConfig&>(options.transformer) = recurrent;
  options.transformer.d_model = recurrent.d_model;
  options.transformer.dropout = recurrent.dropout;
  options.transformer.attention = recurrent.attention;
  return options;
}

}  // namespace attend
