#include "attend/text/preparation.h"

#include <fmt/format.h>

#include <algorithm>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/core/strings/unicode.h"
#include "attend/error.h"

namespace attend {

MosesLanguage moses_language(const std::string& language, std::string_view option) {
  const auto names = enum_names(MosesLanguage{});
  const auto found = std::find(names.begin(), names.end(), language);
  if (found != names.end()) return static_cast<MosesLanguage>(found - names.begin());
  if (language.empty())
    throw OptionError<ConfigError>(
        "{}: expected the language of the text, which the model does not name: {}", as_flag(option),
        fmt::join(names, ", "));
  throw OptionError<ConfigError>("{}: expected one of {}, got {}", as_flag(option),
                                 fmt::join(names, ", "), quote(language));
}

std::string prepared(std::string_view text, const TextPreparation& options,
                     MosesLanguage language) {
  std::string out = options.lowercase ? unicode::lowercase(text) : std::string(text);
  if (options.normalize_punctuation) out = moses_normalize(out, language);
  if (options.tokenize == WordSplitting::moses) out = moses_tokenize(out, language);
  return out;
}

}  // namespace attend
