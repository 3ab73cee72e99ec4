// What is translated: plain texts, pages of HTML, files.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attend/documents/sentences/translated_text.h"

namespace attend {

// A text, a page or a file.
class Document {
 public:
  virtual ~Document() = default;
  // The texts in it, each of any number of sentences.
  virtual std::vector<SourceText> texts() const = 0;
  // Memory that it takes.
  virtual std::size_t bytes() const = 0;
  // The document with the k-th translations of its texts.
  virtual std::string translation(std::span<const TranslatedText> texts, std::size_t k) const = 0;
};

using Documents = std::vector<std::unique_ptr<const Document>>;

// What the reader of a file may have to know; each kind of file takes what it needs.
struct DocumentFileOptions {
  // Columns of a table that are translated, by name or by number from 1; empty: all.
  std::vector<std::string> columns = {};
  // The language of the translation, as in "pt-BR", for files that name it; empty: unknown.
  std::string target = {};
};

std::unique_ptr<const Document> plain_text(std::string text);
std::unique_ptr<const Document> html_page(std::string_view html);
// See MarkupDocument::xml().
std::unique_ptr<const Document> xml_text(std::string_view xml);
// The extension of the file's name decides; see document_extensions(). Throws DataError for others,
// and for bytes that are no such file; TooLongError for texts that are too large.
std::unique_ptr<const Document> read_document(std::string_view name, std::string_view content,
                                              const DocumentFileOptions& options = {});

// Throws DataError for the names of other files.
void require_known_format(std::string_view name);
// Whether such a file holds its texts beside their translations, as .po and .xlf: what has been
// translated cannot be translated again.
bool keeps_source(std::string_view name);
// ".docx", in small letters; empty without one.
std::string extension_of(std::string_view name);
// The content type of files with this extension.
std::string type_of_extension(std::string_view extension);
// Returns the extensions of the files that read_document() takes.
std::vector<std::string> document_extensions();

// All texts of some documents, in order, and each document with its translations.
std::vector<SourceText> texts_of(const Documents& documents);
std::vector<std::string> translations_of(const Documents& documents, const TranslatedTexts& all,
                                         std::size_t k);

}  // namespace attend
