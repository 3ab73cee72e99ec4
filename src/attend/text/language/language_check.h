// Whether a text is in the language that it should be in.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace attend {

// A text is in another language if most of its letters belong to another script, or if another
// known language fits so many times as well:
//
//   (1 + evidence for the other) / (1 + evidence for this one) >= odds
//
// Evidence are the most frequent words of a language and the letters that few others have, without
// those that both languages share. Short texts and names have little of it, and pass. Immutable.
class LanguageCheck {
 public:
  // `language` begins with an ISO 639 code: "de", "de_DE", "deu_Latn". Throws ConfigError
  // "--<option>: ..." for a language that is not known here.
  LanguageCheck(const std::string& language, double odds, std::string_view option);

  bool passes(std::string_view text) const;

 private:
  std::size_t language_;
  double odds_;
};

}  // namespace attend
