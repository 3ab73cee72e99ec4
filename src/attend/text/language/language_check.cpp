#include "attend/text/language/language_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "attend/core/options/option_error.h"
#include "attend/core/strings/quote.h"
#include "attend/error.h"
#include "attend/text/language/language_model.h"
#include "attend/text/language/language_tag.h"

namespace attend {
namespace {

// Which of the known languages are the one of this name: two for Chinese.
std::vector<bool> languages_of(const std::string& name, std::string_view option) {
  const std::string wanted = language_tag(name).language;
  const auto languages = detail::LanguageModel::instance().languages();
  std::vector<bool> own;
  for (const std::string& language : languages)
    own.push_back(language_tag(language).language == wanted);
  if (std::find(own.begin(), own.end(), true) != own.end()) return own;
  throw OptionError<ConfigError>(
      "{}: expected a language that is known ({}), got {}; {} 0 does not check languages",
      as_flag(option), fmt::join(languages, ", "), quote(name), as_flag("language-odds"));
}

}  // namespace

LanguageCheck::LanguageCheck(const std::string& language, double odds, std::string_view option)
    : own_(languages_of(language, option)), odds_(odds) {}

bool LanguageCheck::passes(std::string_view text) const {
  const std::vector<double> probabilities = detail::LanguageModel::instance().probabilities(text);
  if (probabilities.empty()) return true;
  double own = 0, most = 0, rest = 1;
  for (std::size_t l = 0; l < probabilities.size(); ++l) {
    if (own_[l])
      own += probabilities[l];
    else
      most = std::max(most, probabilities[l]);
    rest -= probabilities[l];
  }
  return std::max(most, rest) < odds_ * own;
}

}  // namespace attend
