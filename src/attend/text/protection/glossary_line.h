// The lines of a glossary.
#pragma once

#include <string>
#include <string_view>

#include "attend/text/protection/glossary.h"

namespace attend {

// Whether a line of a file holds a term, and not just a comment or nothing.
bool is_glossary_term(std::string_view line);

// The term of a line: the term, a tab, its translation; other forms of either stand behind "|", and
// what follows another tab counts for nothing. `where` names the line. Throws DataError for a line
// without a term or a translation.
GlossaryTerm glossary_term(std::string_view line, const std::string& where);

}  // namespace attend
