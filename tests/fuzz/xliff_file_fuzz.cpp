// Files of XLIFF against hostile bytes: one that is filled is well-formed, and then nothing is left
// to do.
#include <cstdlib>

#include "attend/documents/markup/xml.h"
#include "attend/error.h"
#include "documents/in_capitals.h"
#include "documents/unchanged.h"
#include "fuzz/fuzz_target.h"

namespace attend::xliff_file_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      "<?xml version=\"1.0\"?><xliff version=\"1.2\"><file source-language=\"en\"><body><group>"
      "<trans-unit id=\"1\"><source>a &amp; <g id=\"1\">b</g><x id=\"2\"/>. "
      "C</source><target/></trans-unit>"
      "<trans-unit id=\"2\" translate=\"no\"><source>a</source></trans-unit>"
      "<trans-unit id=\"3\"><source>a</source><seg-source><mrk mid=\"1\" mtype=\"seg\">a<bx "
      "id=\"1\"/>b"
      "<ex id=\"1\"/></mrk></seg-source><target "
      "state=\"new\">x</target></trans-unit></group></body></file>"
      "</xliff>",
      "<x:xliff version=\"2.0\" srcLang=\"en\"><x:file><x:unit id=\"u\"><x:segment "
      "state=\"initial\" "
      "subState=\"a:b\"><x:source>a <x:pc id=\"1\">b</x:pc><x:sc id=\"3\"/>c<x:ec startRef=\"3\"/>"
      "<x:ph id=\"2\"/></x:source></x:segment></x:unit></x:file></x:xliff>"};
}

std::vector<std::string> dictionary() {
  return {"<source>",
          "</source>",
          "<target>",
          "</target>",
          "<target/>",
          "<trans-unit>",
          "</trans-unit>",
          "<segment>",
          "</segment>",
          "<seg-source>",
          "</seg-source>",
          "<g>",
          "</g>",
          "<x/>",
          "<bx id=\"1\"/>",
          "<ex id=\"1\"/>",
          "<mrk translate=\"no\">",
          "</mrk>",
          "<ph>",
          "</ph>",
          " state=\"new\"",
          " translate=\"no\"",
          "&#13;",
          "<![CDATA[a]]>",
          "<!-- -->",
          "\xff",
          "aa bb. Cc"};
}

void use(std::string_view input) {
  const DocumentFileOptions options{.target = "de"};
  std::string filled;
  try {
    filled = unchanged("a.xlf", std::string(input), options, input.size() % 2 == 0);
  } catch (const DataError&) {
    return;
  }
  require_well_formed(filled, "the answer");
  if (!read_document("a.xlf", filled, options)->texts().empty()) std::abort();
}

const RegisteredFuzzTarget registered{{"xliff_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::xliff_file_fuzz
