// Whether a text is in the language that it should be in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend {

// A text is in another language if another known language, or all other scripts, are so many times
// as likely:
//
//   probability of the other / probability of this one >= odds
//
// Both scripts of Chinese count as one. Short texts and names are seldom so
// clear, and pass. So does a text without letters. Immutable.
class LanguageCheck {
 public:
  // `language` begins with an ISO 639 code: "de", "de_DE", "deu_Latn". Throws ConfigError
  // "--<option>: ..." for a language that is not known here.
  LanguageCheck(const std::string& language, double odds, std::string_view option);

  bool passes(std::string_view text) const;

 private:
  std::vector<bool> own_;  // of the known languages
  double odds_;
};

}  // namespace attend
