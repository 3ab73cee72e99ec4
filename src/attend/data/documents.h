// The units of a text for a language model: its lines, or documents, in which a line break is a
// character like others.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "attend/core/files/lines.h"
#include "attend/core/options/options.h"

namespace attend {

struct DocumentOptions {
  bool documents = false;
  std::string document_end;
};

template <class Visitor>
void fields(DocumentOptions& o, Visitor&& visit) {
  visit("documents", o.documents,
        "the text is documents: every file is one, with its line breaks; otherwise every line is a "
        "text of its own");
  visit("document-end", o.document_end,
        "line that ends a document in a file, such as '<|endoftext|>', and is no part of the "
        "document; default: the end of the file");
}

// Throws ConfigError for an end of documents where there are none.
void check(const DocumentOptions& options);

// Reads a file unit by unit. Line breaks in a document are '\n'. A document without a character is
// none.
class UnitReader {
 public:
  // Throws like LineReader.
  UnitReader(const std::string& file, DocumentOptions options)
      : lines_(file), options_(std::move(options)) {}

  // Applies `filter` to every line.
  void set_filter(std::function<void(std::string&)> filter) {
    lines_.set_filter(std::move(filter));
  }
  // Throws like LineReader::next().
  bool next(std::string& unit);

 private:
  LineReader lines_;
  DocumentOptions options_;
};

// The lines of documents, with their line breaks.
std::vector<std::string> lines_of(std::span<const std::string> documents);

// All units of a file.
std::vector<std::string> read_units(const std::string& file, const DocumentOptions& options);

}  // namespace attend
