// What speaks against a translation, from its text and that of the source alone. Each flag is made
// to be wrong seldom, at the price of finding less.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/language/language_check.h"
#include "attend/text/protection/span_patterns.h"
#include "attend/translator.h"

namespace attend {

// Immutable; may be used from several threads at once.
//
//   empty       the source says something, the translation nothing
//   length      one of them is several times as long as the other
//   copy        the translation is the source, or half of it is a part of the source
//   language    the translation is in another language
//   repetition  the translation repeats what the source does not
//   numbers     a number is missing, or another one
//   verbatim    a URL, an address, a placeholder, a tag or code is missing
class TextFlags {
 public:
  // The languages may be empty, or not known here; then copies and languages are judged less well.
  explicit TextFlags(const LanguagePair& languages = {});

  // Whether a translation in another language can be told.
  bool know_target() const { return is_target_.has_value(); }

  // At most one of each name, in the order above.
  std::vector<TranslationFlag> of(std::string_view source, std::string_view translation) const;

 private:
  bool is_copy(std::string_view source, std::string_view translation) const;

  std::string target_;
  bool may_be_equal_ = false;  // both languages are the same
  std::optional<LanguageCheck> is_target_, is_clearly_target_;
  SpanPatterns common_;
};

}  // namespace attend
