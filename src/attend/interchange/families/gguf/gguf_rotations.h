// Rotary positions in GGUF files: settings, or a tensor of the factors that divide the frequencies.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "attend/interchange/foreign_config.h"
#include "attend/interchange/weights/tensor_table.h"
#include "attend/models/stack/stack_config.h"

namespace attend {

inline constexpr const char* kRopeFactors = "rope_freqs.weight";

struct GgufRotation {
  std::string prefix;  // of the keys: "llama."
  int width = 0;       // of a head
  std::int64_t context = 0;
};

// Adds "rope_theta" and "rope_scaling" to `config`. Throws DataError for a scaling that is not
// supported.
void read_gguf_rotation(ForeignConfig& metadata, TensorTable& tensors, const GgufRotation& rotation,
                        nlohmann::json& config);

// What divides the frequencies of a head with Llama 3's scaling, half of its width.
std::vector<float> llama3_factors(const RotaryOptions& rotary, int width);

}  // namespace attend
