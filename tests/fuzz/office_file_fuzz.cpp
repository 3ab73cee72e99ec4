// Office files and books against hostile bytes: archives that lie about their sizes, too. One
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

constexpr const char* kSlide =
    "<p:sld><p:sp><p:nvPr><p:ph/></p:nvPr><a:p><a:r><a:rPr/><a:t>a b</a:t></a:r><a:br/><a:fld/>"
    "</a:p></p:sp></p:sld>";
constexpr const char* kContainer = "<container><rootfile full-path=\"p\"/></container>";
constexpr const char* kPackage =
    "<package><dc:title>a book</dc:title><item href=\"c\" media-type=\"application/xhtml+xml\"/>"
    "<item href=\"n\" media-type=\"application/x-dtbncx+xml\"/></package>";
constexpr const char* kChapter =
    "<!DOCTYPE html><html><title>a</title><p>b <i>c</i>&nbsp;<br/><code>d</code> e</p></html>";

std::vector<std::string> corpus() {
  return {"w" + written_zip({{.name = "word/document.xml", .bytes = kWord}}),
          "w" + written_zip({{.name = "[Content_Types].xml", .bytes = "<t/>", .deflate = true},
                             {.name = "word/document.xml", .bytes = kWord, .deflate = true},
                             {.name = "word/header1.xml", .bytes = kWord, .deflate = true}}),
          "o" + written_zip({{.name = "mimetype", .bytes = "application/vnd"},
                             {.name = "content.xml", .bytes = kOpen, .deflate = true}}),
          "o" + written_zip({{.name = "content.xml", .bytes = kOpen}}),
          "p" + written_zip({{.name = "ppt/slides/slide1.xml", .bytes = kSlide},
                             {.name = "ppt/slideMasters/slideMaster1.xml", .bytes = kSlide}}),
          "e" + written_zip({{.name = "mimetype", .bytes = "application/epub+zip"},
                             {.name = "META-INF/container.xml", .bytes = kContainer},
                             {.name = "p", .bytes = kPackage},
                             {.name = "c", .bytes = kChapter},
                             {.name = "n", .bytes = "<navLabel><text>a</text></navLabel>"}}),
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
          "META-INF/container.xml",
          "<a:t>",
          "</a:r>",
          "<a:br/>",
          "<p:ph/>",
          "<text:note>",
          "</text:note>",
          "href=\"c\"",
          "%2e",
          "../",
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
  for (const SourceText& one : texts_of(documents))
    all.texts.push_back(same_translation(one.text, false));
  return all;
}

Documents opened(const std::string& bytes, char kind) {
  const std::string extension = kind == 'w'   ? "docx"
                                : kind == 'p' ? "pptx"
                                : kind == 'e' ? "epub"
                                              : "odt";
  Documents documents;
  documents.push_back(read_document("a." + extension, bytes));
  return documents;
}

// The words of all texts. A space at the end of an element may be written for a tag that said one.
std::vector<std::string> words_of(const Documents& documents) {
  std::vector<std::string> words;
  for (const SourceText& one : texts_of(documents))
    for (const std::string_view word : unicode::split(one.text)) words.emplace_back(word);
  return words;
}

void use(std::string_view input) {
  if (input.empty()) return;
  const char kind = input.front();
  Documents documents;
  try {
    documents = opened(std::string(input.substr(1)), kind);
  } catch (const DataError&) {
    return;
  }
  const std::string written = translations_of(documents, same_of(documents), 0).front();
  if (words_of(opened(written, kind)) != words_of(documents)) std::abort();
}

const RegisteredFuzzTarget registered{{"office_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::office_file_fuzz
