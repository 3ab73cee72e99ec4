// attend translate --text, --html and --file: whole texts instead of lines.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "attend/cli/binding/options_binding.h"
#include "attend/core/options/options.h"
#include "attend/tasks/translation/second_translation.h"

namespace attend {

// What is translated, if it is not standard input line by line.
struct DocumentArguments {
  bool text = false;
  bool html = false;
  std::string file;
  std::string out_file;
  std::vector<std::string> columns;
};

template <class Visitor>
void fields(DocumentArguments& a, Visitor&& visit) {
  visit("text", a.text,
        "translate standard input as one text: sentences are found, line breaks and spaces stay");
  visit("html", a.html, "translate standard input as a page of HTML: tags stay with their words");
  visit(
      "file", a.file,
      "file to translate instead of standard input: .txt, .html, .docx, .odt, or another format of "
      "docs/documents.md");
  visit("columns", a.columns,
        "columns of a table (.csv, .tsv) to translate with --file, by name or by number from 1; "
        "none: all");
  visit("out-file", a.out_file, "file to write with the translation of --file");
}

// Whether there is a document to translate. Throws ConfigError for options that contradict each
// other.
bool has_document(const DocumentArguments& arguments, const OptionBinding& binding);

// Translates it with one model, or with several in a row, to standard output or to --out-file.
void translate_document(const DocumentArguments& arguments, std::span<const TranslationStep> steps);

}  // namespace attend
