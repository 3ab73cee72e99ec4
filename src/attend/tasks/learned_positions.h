// Checks lengths against learned positions, which limit the length of a sequence.
#pragma once

#include <cstdint>
#include <string_view>

#include "attend/models/stack/stack_config.h"

namespace attend {

// For an option that sets the length of inputs. Throws ConfigError "max-length: 256 tokens do not
// fit in max-positions 60; ..." unless a model of this configuration has enough positions.
void require_positions(std::string_view option, std::int64_t tokens, const StackConfig& config);

// For a text of `tokens` tokens plus `special` special tokens. Throws LineError "<where>: ..."
// unless they fit into the positions; 0 positions: unlimited.
void require_room(std::string_view where, std::int64_t tokens, int special, std::int64_t positions);

}  // namespace attend
