// Translation memories (TMX): units with the same sentence in several languages.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "attend/core/files/packed/archive_reader.h"
#include "attend/data/public_sets/split_pairs.h"

namespace attend {

// Whether a tag of a language ("en-US") is of the one that is wanted ("en"), in capital or small
// letters.
bool is_language(std::string_view tag, std::string_view wanted);

struct TranslationUnit {
  std::map<std::string, std::string> texts;  // by language, in small letters; the first of each
};

// Reads the units of a file one by one. Of a segment, what native codes hold (bpt, ept, ph, it, ut)
// is left out, and the text of other elements stays. Ends when `use` returns false.
void read_tmx(ArchiveReader& file, const std::function<bool(const TranslationUnit&)>& use);

// The text in a language, or "".
std::string text_in(const TranslationUnit& unit, std::string_view language);

}  // namespace attend
