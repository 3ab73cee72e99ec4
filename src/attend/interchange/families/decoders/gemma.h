// What the families after Gemma 2 share beside what they have of Llama.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "attend/interchange/families/families.h"
#include "attend/interchange/weights/name_map.h"

namespace attend {

// Gains that are stored without the 1 that is added to them.
inline constexpr auto kLessOne = ForeignLayout::less_one;

// "query_pre_attn_scalar", as the factor of attention scores; and the other direction.
float read_query_scale(ForeignConfig& config);
std::int64_t query_scalar(const StackConfig& shape);
// Missing caps have the defaults of transformers, null means none.
float read_gemma_cap(ForeignConfig& config, std::string_view key, double otherwise);
// The other direction.
nlohmann::ordered_json gemma_cap(float cap);
// Gains come back as they are after 1 is subtracted and added.
void round_gains(Checkpoint& equal, const NameMap& names);

}  // namespace attend
