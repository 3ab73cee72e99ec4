#include "attend/models/architecture.h"

namespace attend {

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
  std::visit([](const auto& one) { validate(one); }, config);
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
