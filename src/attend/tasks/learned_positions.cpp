#include "attend/tasks/learned_positions.h"

#include <fmt/format.h>

#include "attend/core/options/option_error.h"
#include "attend/core/too_long.h"
#include "attend/error.h"

namespace attend {

void require_positions(std::string_view option, std::int64_t tokens, const StackConfig& config) {
  if (const std::int64_t positions = config.learned_positions();
      positions > 0 && tokens > positions)
    throw OptionError<ConfigError>(
        "{0}: {1} tokens do not fit in {2} {3}; lower {0}, or train with a larger {2}",
        as_key(option), tokens, as_key("max-positions"), positions);
}

void require_room(std::string_view where, std::int64_t tokens, int special,
                  std::int64_t positions) {
  if (positions > 0 && tokens + special > positions)
    throw TooLongError(
        fmt::format("{}: a text of {} tokens plus {} is longer than the {} positions the model has "
                    "learned; split it",
                    where, tokens, special == 1 ? "eos" : "bos and eos", positions));
}

}  // namespace attend
