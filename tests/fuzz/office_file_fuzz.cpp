// Files of word processors against hostile bytes: archives that lie about their sizes, too. One
// whose texts are translated into themselves can be opened again and has the same words.
#include <cstdlib>

#include "attend/core/strings/unicode.h"
#include "attend/documents/document.h"
#include "attend/error.h"
#include "core/written_zip.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/same_translation.h"

namespace attend::office_file_fuzz {
namespace {

constexpr const char* kWord =
    "<?xml version=\"1.0\"?><w:document><w:body><w:p><w:pPr/><w:r><w:rPr><w:b/></w:rPr><w:t>a "
    "&amp; b"
    "</w:t></w:r><w:r><w:tab/></w:r><w:hyperlink><w:r><w:t xml:space=\"preserve\"> c</w:t></w:r>"
    "</w:hyperlink></w:p></w:body></w:document>";
constexpr const char* kOpen =
    "<office:text><text:h>a title</text:h><text:p>a <text:span>b</text:span><text:s/>c. d</text:p>"
    "</office:text>";

std::vector<std::string> corpus() {
  return {"w" + written_zip({{.name = "word/document.xml", .bytes = kWord}}),
          "w" + written_zip({{.name = "[Content_Types].xml", .bytes = "<t/>", .deflate = true},
                             {.name = "word/document.xml", .bytes = kWord, .deflate = true},
                             {.name = "word/header1.xml", .bytes = kWord, .deflate = true}}),
          "o" + written_zip({{.name = "mimetype", .bytes = "application/vnd"},
                             {.name = "content.xml", .bytes = kOpen, .deflate = true}}),
          "o" + written_zip({{.name = "content.xml", .bytes = kOpen}}),
          "w",
          "o"};
}

std::vector<std::string> dictionary() {
  return {"PK\1\2",
          "PK\3\4",
          "PK\5\6",
          "PK\6\6",
          "PK\6\7",
          "word/document.xml",
          "content.xml",
          "\xff\xff\xff\xff",
          std::string("\0\0\0\0", 4),
          std::string("\x08\0", 2),
          "<w:t>",
          "</w:t>",
          "<w:r>",
          "<text:span>",
          "</text:p>",
          "&#65;",
          "&amp;",
          "<!--",
          "<![CDATA["};
}

// All texts of a file, each of which is translated into itself.
TranslatedTexts same_of(const Documents& documents) {
  TranslatedTexts all;
  for (const std::string& text : texts_of(documents))
    all.texts.push_back(same_translation(text, false));
  return all;
}

Documents opened(const std::string& bytes, bool is_word) {
  Documents documents;
  documents.push_back(read_document(is_word ? "a.docx" : "a.odt", bytes));
  return documents;
}

// The words of all texts. A space at the end of an element may be written for a tag that said one.
std::vector<std::string> words_of(const Documents& documents) {
  std::vector<std::string> words;
  for (const std::string& text : texts_of(documents))
    for (const std::string_view word : unicode::split(text)) words.emplace_back(word);
  return words;
}

void use(std::string_view input) {
  if (input.empty()) return;
  const bool is_word = input.front() == 'w';
  Documents documents;
  try {
    documents = opened(std::string(input.substr(1)), is_word);
  } catch (const DataError&) {
    return;
  }
  const std::string written = translations_of(documents, same_of(documents), 0).front();
  if (words_of(opened(written, is_word)) != words_of(documents)) std::abort();
}

const RegisteredFuzzTarget registered{{"office_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::office_file_fuzz
