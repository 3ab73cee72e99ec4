// Files of TBX, the format of terms of ISO 30042, as glossaries.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace attend {

// The terms of a concept in two languages, for every concept that has both: "dog|hound\tHund".
// Terms that are deprecated or superseded are left out. Takes the elements of version 2 (termEntry,
// langSet, tig and ntig) and of version 3 (conceptEntry, langSec, termSec). Languages may have
// other names: "de-DE" for "de". Throws DataError for bytes that are no such file, for a term with
// "|", and, with the languages that are there, if no concept has both; `name` stands for the file.
std::vector<std::string> tbx_terms(std::string_view name, std::string_view bytes,
                                   std::string_view source, std::string_view target);

}  // namespace attend
