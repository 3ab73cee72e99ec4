// Checks of lengths against a learned table of positions, which bounds the length of a sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include "attend/models/stack_config.h"

namespace attend {

// For an option that says how long the inputs of a model are. Throws ConfigError "max-length: 256
// tokens do not fit in max-positions 60;
// ..." unless a model of this configuration has positions for them.
void require_positions(std::string_view option, std::int64_t tokens, const StackConfig& config);

// For a text of `tokens` tokens with `special` special tokens around it. Throws LineError "<where>:
// ..." unless there are positions for all of them; 0 positions stand for any number.
void require_room(std::string_view where, std::int64_t tokens, int special, std::int64_t positions);

}  // namespace attend
