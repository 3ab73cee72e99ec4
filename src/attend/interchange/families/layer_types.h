// "layer_types" of transformers: which layers see everything, and which a window.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "attend/interchange/foreign_config.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

// The list of the settings, or without one `otherwise`, with an entry for each layer. Throws
// DataError for other kinds of layers, and for another number of them.
std::vector<LayerKind> read_layer_types(ForeignConfig& config, std::vector<LayerKind> otherwise);

// Layers of these kinds; the local ones see `window` tokens.
void set_layers(std::span<const LayerKind> kinds, int window, StackConfig& shape);

// The other direction.
nlohmann::ordered_json layer_types_json(std::span<const LayerKind> kinds);

// The tokens that a window may have.
inline constexpr NumberRange kWindows = between(1, 1e9);

}  // namespace attend
