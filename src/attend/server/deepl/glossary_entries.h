// The terms of a glossary as clients of DeepL send and receive them.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace attend {

using GlossaryEntries = std::vector<std::pair<std::string, std::string>>;

// Reads lines of a term and its translation; `format` is "tsv" or "csv", in which two languages may
// follow. Throws HttpError 400 for anything else, for a term that is there twice, and if there are
// none.
GlossaryEntries read_glossary_entries(std::string_view text, std::string_view format);

// The terms as lines of TSV.
std::string tsv_of(const GlossaryEntries& entries);

// Adds entries to others; those of the same term take their place.
void merge_entries(GlossaryEntries& into, GlossaryEntries more);

}  // namespace attend
