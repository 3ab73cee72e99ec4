// A translation of a file into itself.
#pragma once

#include <string>

#include "attend/documents/document.h"
#include "fuzz/same_translation.h"

namespace attend {

// The file with its texts translated into themselves.
inline std::string unchanged(const std::string& name, const std::string& content,
                             const DocumentFileOptions& options = {}, bool crosswise = false) {
  Documents documents;
  documents.push_back(read_document(name, content, options));
  TranslatedTexts all;
  for (const SourceText& one : texts_of(documents))
    all.texts.push_back(same_translation(one.text, crosswise));
  return translations_of(documents, all, 0).front();
}

}  // namespace attend
