// Regular expressions of the tokenizers library, which have Oniguruma's syntax, in PCRE2's. Private
// to text/.
#pragma once

#include <string>
#include <string_view>

namespace attend::detail {

// The expression for PCRE2 with UTF, UCP and MULTILINE that matches the same: \h is a hexadecimal
// digit, (?m) lets a dot match line ends, \p{Han} is a script without its extensions, {n}+ is not
// possessive. Classes within classes must have been spelled out. Throws DataError, stating only the
// reason, for syntax that PCRE2 lacks or reads in another way.
std::string pcre_of_oniguruma(std::string_view expression);

}  // namespace attend::detail
