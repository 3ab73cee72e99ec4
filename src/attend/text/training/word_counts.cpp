#include "attend/text/training/word_counts.h"

#include <fmt/format.h>

#include "attend/core/options/option_error.h"
#include "attend/error.h"
#include "attend/text/tokenizer.h"

namespace attend::detail {

TextNormalization normalization_of(const TokenizerOptions& options) {
  if (options.byte_fallback)
    throw OptionError<ConfigError>(
        "{}: expected a tokenizer of type bpe, unigram or chars, got {}", as_key("byte-fallback"),
        enum_names(options.type)[static_cast<std::size_t>(options.type)]);
  if (!options.user_symbols.empty())
    throw OptionError<ConfigError>(
        "{}: expected a tokenizer of type bpe, unigram, chars or word, got {}",
        as_key("user-symbols"), enum_names(options.type)[static_cast<std::size_t>(options.type)]);
  if (options.pretokenized) return {};
  switch (options.normalization) {
    case Normalization::nmt_nfkc:
      return {UnicodeForm::nfkc, false, true};
    case Normalization::nfkc:
      return {UnicodeForm::nfkc, false, false};
    case Normalization::nmt_nfkc_cf:
      return {UnicodeForm::nfkc, true, true};
    case Normalization::nfkc_cf:
      return {UnicodeForm::nfkc, true, false};
    case Normalization::identity:
      break;
  }
  return {};
}

PieceList control_pieces() {
  return {.pieces = {"<pad>", "<unk>", "<s>", "</s>"},
          .controls = {0, 2, 3},
          .special = {.bos = 2, .eos = 3, .pad = 0, .unk = 1}};
}

}  // namespace attend::detail
