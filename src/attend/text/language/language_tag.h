// Names of languages that mean the same: "no" and "nb", "de_DE" and "deu_Latn".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace attend {

// A name in parts, in small letters: an ISO 639 code of two letters where there is one, then the
// script and the region that the name says or, for Chinese, implies. Empty parts are not said.
struct LanguageTag {
  std::string language, script, region;

  bool operator==(const LanguageTag&) const = default;
};

// "zh-CN" and "zho_Hans" -> {"zh", "hans"}; "pb", which LibreTranslate has for Brazil, and "pt-BR"
// -> {"pt", "", "br"}.
LanguageTag language_tag(std::string_view name);

// Which of `names` is asked for as `asked`: the same name; else another name of the same language;
// else one that differs in what only one of them says, such as the region ("en-US" for "en"), the
// first of several. None: no name is of this language, or only in another script.
std::optional<std::string> matching_language(std::string_view asked,
                                             std::span<const std::string> names);

}  // namespace attend
