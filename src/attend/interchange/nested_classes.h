// Character classes within character classes, [a[bc]d], which regular expressions of Oniguruma have
// and those of PCRE2 do not: BLOOM's tokenizer uses them.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// The expression with one class for several nested ones: [abcd]. Throws DataError for a negated
// class within another, for an intersection (&&), and for a range between classes.
std::string without_nested_classes(std::string_view expression);

}  // namespace attend
