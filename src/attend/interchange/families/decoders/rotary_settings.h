// Rotary positions in the settings of transformers: "rope_parameters" of newer files,
// "rope_scaling" and "rope_theta" of older ones.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "attend/interchange/foreign_config.h"
#include "attend/interchange/weights/name_map.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

// What files of a family mean, and how they say it.
struct RotaryRules {
  double theta = 1e4;  // of files that do not say
  std::string_view theta_key = "rope_theta";
  // The share of a head that is rotated, of files that do not say. 0: all of it, and no file may
  // say otherwise.
  double share = 0;
  std::string_view share_key = "partial_rotary_factor";
  bool grows = false;  // Phi-3's scaling, whatever its name, and "original_max_position_embeddings"
};

// `width`: of a head.
RotaryOptions read_rotary(ForeignConfig& config, const RotaryRules& rules = {}, int width = 0);
// The settings of an object such as "rope_parameters"; `otherwise` has the base.
RotaryOptions read_rotary_of(ForeignConfig& rope, RotaryOptions otherwise);

// The other direction, in the words of older files, which all versions read.
void add_rotary(nlohmann::ordered_json& config, const StackConfig& shape,
                const RotaryRules& rules = {});

// How another program rotates a part of each head, or adjacent rows of it.
ForeignHeads rotated_heads(const StackConfig& shape, int heads, bool adjacent = false);

}  // namespace attend
