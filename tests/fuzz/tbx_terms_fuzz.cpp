// Files of TBX against hostile bytes: what is read is a glossary.
#include <cstdlib>

#include "attend/documents/terms/tbx_terms.h"
#include "attend/error.h"
#include "attend/text/protection/glossary.h"
#include "fuzz/fuzz_target.h"

namespace attend::tbx_terms_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      "<?xml version='1.0'?><!DOCTYPE martif SYSTEM \"a.dtd\"><martif><text><body><termEntry>"
      "<langSet xml:lang=\"en\"><tig><term>dog</term></tig><tig><term>cur</term><termNote "
      "type=\"administrativeStatus\">deprecatedTerm</termNote></tig></langSet><langSet "
      "xml:lang=\"de\"><ntig><termGrp><term>H <hi>u</hi>&amp;</term></termGrp></ntig></langSet>"
      "</termEntry></body></text></martif>",
      "<tbx><text><body><conceptEntry><langSec xml:lang=\"de-DE\"><termSec><term>Hund</term>"
      "<a:administrativeStatus>x</a:administrativeStatus></termSec></langSec><langSec "
      "xml:lang=\"en\"><termSec><term>dog</term></termSec></langSec></conceptEntry></body></text>"
      "</tbx>"};
}

std::vector<std::string> dictionary() {
  return {"<term>",
          "</term>",
          "<term/>",
          "<tig>",
          "</tig>",
          "<termSec>",
          "</termSec>",
          "<termEntry>",
          "</termEntry>",
          "</langSet>",
          "<langSet xml:lang=\"en\">",
          "<langSet>",
          "<termNote type=\"administrativeStatus\">",
          "</termNote>",
          "|",
          "\t",
          "&#9;",
          "&#10;",
          "<![CDATA[a]]>",
          "<!-- -->",
          "\xff",
          "aa"};
}

void use(std::string_view input) {
  try {
    const std::vector<std::string> lines = tbx_terms("a.tbx", input, "en", "de");
    if (lines.empty()) std::abort();
    const Glossary glossary(lines);
    glossary.find(input);
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"tbx_terms", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::tbx_terms_fuzz
