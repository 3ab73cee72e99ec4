#include "attend/text/training/training_errors.h"

#include <fmt/format.h>

#include "attend/core/options/option_error.h"
#include "attend/core/options/option_fields.h"
#include "attend/error.h"

namespace attend::detail {

void check_training_options(const TokenizerOptions& options, int reserved) {
  if (options.vocab_size <= reserved) {
    throw OptionError<ConfigError>(
        "tokenizer: {} {} is too small: {} pieces are reserved; set it to {} or more",
        as_key("vocab-size"), options.vocab_size, reserved, reserved + 1);
  }
  check_options(options);
}

void throw_no_text(std::size_t sentences) {
  throw DataError(fmt::format(
      "tokenizer: {} training sentences, none with a character in it; check the training text",
      sentences));
}

void throw_vocabulary_too_large(const TokenizerOptions& options, std::size_t sentences, int most) {
  throw OptionError<ConfigError>(
      "tokenizer: {0} {1} is too large: {2} sentences give a {3} vocabulary of at most {4} pieces; "
      "set {0} to {4} or less",
      as_key("vocab-size"), options.vocab_size, sentences,
      enum_names(options.type)[static_cast<std::size_t>(options.type)], most);
}

void throw_vocabulary_too_small(const TokenizerOptions& options, int reserved, int least) {
  throw OptionError<ConfigError>(
      "tokenizer: {0} {1} is too small: the text has {2} different characters, which with {3} "
      "reserved pieces make {4}; set {0} to {4} or more, or lower {5}",
      as_key("vocab-size"), options.vocab_size, least - reserved, reserved, least,
      as_key("character-coverage"));
}

}  // namespace attend::detail
