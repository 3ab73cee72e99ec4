// Files of JSON whose strings are translated: messages of programs.
#pragma once

#include <memory>
#include <string_view>

#include "attend/documents/document.h"

namespace attend {

// All strings with letters are texts, but not the names of members. What is not translated stays
// byte for byte. Throws DataError for text that is not JSON. `name` stands for it in messages.
std::unique_ptr<const Document> read_json_strings(std::string_view name, std::string_view content);

// The same for a file of Flutter, in which a member whose name begins with @ says something of
// another one: it stays. @@locale names the language of the translation, if that is known.
std::unique_ptr<const Document> read_arb(std::string_view name, std::string_view content,
                                         const DocumentFileOptions& options);

}  // namespace attend
