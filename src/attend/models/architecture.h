// The encoder-decoders there are, by their configurations.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <variant>

#include "attend/models/transformer_config.h"

namespace attend {

enum class Architecture { transformer };
inline std::span<const std::string_view> enum_names(Architecture) {
  static constexpr std::array<std::string_view, 1> names{"transformer"};
  return names;
}

// The configuration of one of them, in the order of the enumerators.
using ArchitectureConfig = std::variant<TransformerConfig>;

std::string_view name_of(const ArchitectureConfig& config);
EncoderDecoderConfig& common(ArchitectureConfig& config);
const EncoderDecoderConfig& common(const ArchitectureConfig& config);

// The options of a command that makes a model.
struct ModelOptions {
  Architecture arch = Architecture::transformer;
  TransformerConfig transformer;

  ArchitectureConfig chosen() const;
};

template <class Visitor>
void fields(ModelOptions& o, Visitor&& visit) {
  visit("arch", o.arch, "which kind of model");
  fields(o.transformer, visit);
}

}  // namespace attend
