// The list of encoder-decoder architectures.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <variant>

#include "attend/models/recurrent_config.h"
#include "attend/models/transformer_config.h"

namespace attend {

enum class Architecture { transformer, rnn };
inline std::span<const std::string_view> enum_names(Architecture) {
  static constexpr std::array<std::string_view, 2> names{"transformer", "rnn"};
  return names;
}

// The configuration of one architecture, in the order of the enumerators.
using ArchitectureConfig = std::variant<TransformerConfig, RecurrentConfig>;

std::string_view name_of(const ArchitectureConfig& config);
EncoderDecoderConfig& common(ArchitectureConfig& config);
const EncoderDecoderConfig& common(const ArchitectureConfig& config);
int d_model_of(const ArchitectureConfig& config);
// Throws ConfigError naming the invalid option.
void validate(const ArchitectureConfig& config);

// The options of a command that creates a model: the Transformer's, some of which all architectures
// share, and those of other architectures.
struct ModelOptions {
  Architecture arch = Architecture::transformer;
  TransformerConfig transformer;
  RecurrentWidths rnn;

  ArchitectureConfig chosen() const;
  // The options with this choice.
  static ModelOptions of(const ArchitectureConfig& config);
};

template <class Visitor>
void fields(ModelOptions& o, Visitor&& visit) {
  visit("arch", o.arch, "transformer, or rnn (recurrent networks with additive attention)");
  fields(o.transformer, visit);
  fields(o.rnn, visit);
}

}  // namespace attend
