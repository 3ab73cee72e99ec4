// Lengths against a learned table of positions, which has room for so many tokens and no more.
#pragma once

#include <cstdint>
#include <string_view>

#include "attend/models/stack_config.h"

namespace attend {

// For an option that says how long the inputs of a model are. Throws ConfigError "max-length: 256 tokens do not fit in max-positions 60;
// ..." unless a model of this configuration has positions for them.
void require_positions(std::string_view option, std::int64_t tokens, const StackConfig& config);

// For a text of so many tokens, and `marks` control tokens around it. Throws DataError "<where>: ..." unless `positions`, 0 for any number,
// have room for them.
void require_room(std::string_view where, std::int64_t tokens, int marks, std::int64_t positions);

}  // namespace attend
