// Pages of HTML and parts of office files against hostile bytes: whatever is translated into
// itself stays as it is, but for escapes and spaces.
#include <cstdlib>

#include "attend/documents/office/drawing_part.h"
#include "attend/documents/office/open_document_part.h"
#include "attend/documents/office/word_part.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/same_translation.h"

namespace attend::markup_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      "0<p>The <b>old <i>dog</i></b> sleeps. <a href=\"x>y\">A cat</a>&nbsp;eats.<br>",
      "0<script>if (a < b) '</b>';</script><!-- x --><span translate=\"no\">a<span>b</span></span>",
      "0<b>x <i>y</b> z</i></p></div>&amp;&#65;&#x41;&unknown;",
      "1<w:p><w:pPr/><w:r><w:rPr><w:b/></w:rPr><w:t>a b</w:t></w:r><w:r><w:tab/></w:r>"
      "<w:hyperlink><w:r><w:t xml:space=\"preserve\"> c</w:t></w:r></w:hyperlink></w:p>",
      "2<text:p>a <text:span>b</text:span><text:s/>c. d</text:p>",
      "2<text:p>a<text:note>1<text:note-body><text:p>b<text:note><text:p>c</text:p></text:note>"
      "</text:p></text:note-body></text:note> d</text:p>",
      "3<p:sp><a:p><a:r><a:rPr/><a:t>a</a:t></a:r><a:br/><a:fld>1</a:fld></a:p></p:sp>"};
}

std::vector<std::string> dictionary() {
  return {"<b>",         "</b>",         "<",           ">",
          "<p>",         "</p>",         "<script>",    "</script>",
          "<!--",        "-->",          "<img>",       "&amp;",
          "&#0;",        "\"",           "'",           "translate=no",
          "<w:r>",       "</w:r>",       "<w:t>",       "</w:t>",
          "<w:p>",       "/>",           "<text:span>", "</text:span>",
          "<text:note>", "</text:note>", "<a:p>",       "<a:r>",
          "<a:t>",       "</a:t>",       "</a:r>",      ". A",
          " ",           "\n",           "\xff",        "<svg>",
          "<pre>",       "<i>",          "</i>"};
}

void use(std::string_view input) {
  if (input.empty()) return;
  const char kind = input.front();
  const std::string_view rest = input.substr(1);
  const MarkupDocument document = (kind & 3) == 1   ? word_part(rest)
                                  : (kind & 3) == 2 ? open_document_part(rest)
                                  : (kind & 3) == 3 ? drawing_part(rest)
                                                    : MarkupDocument::html(rest);
  std::vector<TranslatedText> blocks;
  for (const SourceText& one : document.texts())
    blocks.push_back(same_translation(one.text, (kind & 4) != 0));
  if (blocks.empty() && document.translation(blocks, 0) != rest) std::abort();
  document.translation(blocks, 0);
}

const RegisteredFuzzTarget registered{{"markup", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::markup_fuzz
