#include "attend/text/training/training_errors.h"

#include <fmt/format.h>

#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend::detail {

void check_training_options(const TokenizerOptions& options, int reserved) {
  if (options.vocab_size <= reserved) {
    throw ConfigError(fmt::format(
        "tokenizer: vocab-size {} is too small: {} pieces are reserved; set it to {} or more",
        options.vocab_size, reserved, reserved + 1));
  }
  check_options(options);
}

void throw_no_text(std::size_t sentences) {
  throw DataError(fmt::format(
      "tokenizer: {} training sentences, none with a character in it; check the training text",
      sentences));
}

void throw_vocabulary_too_large(const TokenizerOptions& options, std::size_t sentences, int most) {
  throw ConfigError(
      fmt::format("tokenizer: vocab-size {0} is too large: {1} sentences give a {2} vocabulary "
                  "of at most {3} pieces; set vocab-size "
                  "to {3} or less",
                  options.vocab_size, sentences,
                  enum_names(options.type)[static_cast<std::size_t>(options.type)], most));
}

void throw_vocabulary_too_small(const TokenizerOptions& options, int reserved, int least) {
  throw ConfigError(
      fmt::format("tokenizer: vocab-size {0} is too small: the text has {1} different "
                  "characters, which with {2} reserved pieces "
                  "make {3}; set vocab-size to {3} or more, or lower character-coverage",
                  options.vocab_size, least - reserved, reserved, least));
}

}  // namespace attend::detail
