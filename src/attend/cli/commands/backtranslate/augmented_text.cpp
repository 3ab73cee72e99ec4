#include "attend/cli/commands/backtranslate/augmented_text.h"

#include <fmt/format.h>

#include "attend/core/files/lines.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/utf8.h"
#include "attend/data/corpus.h"
#include "attend/error.h"

namespace attend {

void require_pairs(const std::vector<std::string>& src, const std::vector<std::string>& tgt) {
  if (src.empty() && tgt.empty()) return;
  require_readable(src);
  require_readable(tgt);
  constexpr std::int64_t kAtOnce = 10'000;
  ParallelText text;
  for (ParallelReader pairs(src, tgt); pairs.read(kAtOnce, text);) continue;
}

void require_text(const std::vector<std::string>& files) {
  if (files.empty()) return;
  require_readable(files);
  std::string line;
  for (const std::string& file : files)
    for (LineReader lines(file); lines.next(line);)
      if (!is_blank(line)) return;
  throw DataError(fmt::format("{}: expected sentences to translate, found none",
                              printable(files.front(), 500)));
}

void require_symbols(const std::vector<std::string>& symbols, TokenizerOptions options) {
  if (options.type == TokenizerType::wordpiece || options.type == TokenizerType::byte_bpe)
    throw ConfigError(fmt::format(
        "--tag: expected none (--tag '') with this --tokenizer, whose vocabulary cannot have {} as "
        "one token; nor --noise-blank",
        quote(symbols.back())));
  // The smallest vocabulary with them.
  options.type = TokenizerType::chars;
  options.user_symbols = symbols;
  options.vocab_size = 1000;
  try {
    Tokenizer::train(std::vector<std::string>{"a b c"}, options);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("--tag: {}", error.what()));
  }
}

void require_symbols(const std::vector<std::string>& symbols, const Tokenizer& vocabulary,
                     const std::string& model) {
  for (const std::string& symbol : symbols)
    if (vocabulary.encode(symbol).size() != 1)
      throw ConfigError(fmt::format(
          "--tag: the vocabulary of {} has no token {}; leave out the tag (--tag '') and "
          "--noise-blank, or start without --init-from",
          printable(model, 500), quote(symbol)));
}

}  // namespace attend
