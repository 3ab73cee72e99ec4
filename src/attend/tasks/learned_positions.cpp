#include "attend/tasks/learned_positions.h"

#include <fmt/format.h>

#include "attend/core/error.h"

namespace attend {

void require_positions(std::string_view option, std::int64_t tokens, const StackConfig& config) {
  if (const std::int64_t positions = config.learned_positions(); positions > 0 && tokens > positions)
    throw ConfigError(fmt::format("{0}: {1} tokens do not fit in max-positions {2}; lower {0}, or train with a larger max-positions",
                                  option, tokens, positions));
}

void require_room(std::string_view where, std::int64_t tokens, int marks, std::int64_t positions) {
  if (positions > 0 && tokens + marks > positions)
    throw DataError(fmt::format("{}: a text of {} tokens and {} is longer than the {} positions the model has learned; split it", where,
                                tokens, marks == 1 ? "its end" : "the marks at its ends", positions));
}

}  // namespace attend
