// "layer_types" of transformers: which layers see everything, and which a window.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "attend/interchange/foreign_config.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

// The list of the settings, or without one `otherwise`, with an entry for each layer. Throws
// DataError for other kinds of layers, and for another number of them.
std::vector<LayerKind> read_layer_types(ForeignConfig& config, std::vector<LayerKind> otherwise);

// Layers of these kinds; the local ones see `window` tokens.
void set_layers(std::span<const LayerKind> kinds, int window, StackConfig& shape);

// The settings of a family for the bases of rotations, and what files mean that do not say.
struct LayeredRotaryRules {
  std::string_view global_key;
  double global_theta;
  std::string_view local_key;
  double local_theta;
};
// The rotations of global and local layers: "rope_parameters" of newer files for each kind of
// layers; of older ones the bases, and "rope_scaling" of the global layers.
void read_layered_rotary(ForeignConfig& config, const LayeredRotaryRules& rules,
                         StackConfig& shape);

// The other direction.
nlohmann::ordered_json layer_types_json(std::span<const LayerKind> kinds);

// The tokens that a window may have.
inline constexpr NumberRange kWindows = between(1, 1e9);

}  // namespace attend
