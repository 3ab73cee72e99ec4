// Lower-cased, normalized and tokenized text as the scripts of Moses write it.
#pragma once

#include <string>
#include <string_view>

namespace attend {

// Whether there are rules for the language.
bool has_moses_rules(std::string_view language);

// What lowercase.perl, normalize-punctuation.perl and tokenizer.perl of 2017 make of a line of a
// file: the text of Multi30k, byte for byte. The scripts see the line feed. Precondition:
// has_moses_rules(language).
std::string moses_line(std::string_view line, const std::string& language);

}  // namespace attend
