#include "attend/text/language/language_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/text/language/language_evidence.h"

namespace attend {
namespace {

using detail::LanguageEvidence;
using detail::Script;

std::size_t known_language(const std::string& name, std::string_view option) {
  if (const auto found = detail::find_language(name)) return *found;
  std::vector<std::string_view> codes;
  for (std::size_t i = 0; i < detail::kLanguageCount; ++i)
    codes.push_back(detail::language_code(i));
  throw OptionError<ConfigError>(
      "{}: expected a language whose words are known ({}), got {}; {} 0 does not check languages",
      as_flag(option), fmt::join(codes, ", "), quote(name), as_flag("language-odds"));
}

// In words that `other` does not have. Where the script alone tells the language, each word of it
// counts, or as many letters as a word has.
double evidence_for(std::size_t language, std::size_t other, const LanguageEvidence& evidence) {
  constexpr double kLettersOfWord = 5;
  const double letters = evidence.known_letters();
  if (letters == 0) return 0;
  const double own = evidence.letters_of(detail::script_of(language));
  if (!detail::is_alone_in_script(language))
    return own / letters * evidence.weight_of(language, other);
  return own / letters * std::max(static_cast<double>(evidence.words), own / kLettersOfWord);
}

// Whether at most half of the letters are of its script.
bool has_other_script(std::size_t language, const LanguageEvidence& evidence) {
  const double all = evidence.known_letters() + evidence.letters_of(Script::other);
  double own = evidence.letters_of(detail::script_of(language));
  // Japanese may do without kana.
  if (detail::script_of(language) == Script::kana) own += evidence.letters_of(Script::han);
  return all > 0 && own < 0.5 * all;
}

}  // namespace

LanguageCheck::LanguageCheck(const std::string& language, double odds, std::string_view option)
    : language_(known_language(language, option)), odds_(odds) {}

bool LanguageCheck::passes(std::string_view text) const {
  const LanguageEvidence evidence = detail::evidence_of(text);
  if (has_other_script(language_, evidence)) return false;
  // Han letters are no evidence against Japanese.
  const bool ignores_han = detail::script_of(language_) == Script::kana;
  for (std::size_t other = 0; other < detail::kLanguageCount; ++other) {
    if (other == language_ || (ignores_han && detail::script_of(other) == Script::han)) continue;
    const double own = evidence_for(language_, other, evidence);
    if (1 + evidence_for(other, language_, evidence) >= odds_ * (1 + own)) return false;
  }
  return true;
}

}  // namespace attend
