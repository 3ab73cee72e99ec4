// Translation memories against hostile bytes, in UTF-8 and UTF-16: units, or a DataError.
#include "attend/data/public_sets/tmx.h"
#include "attend/error.h"
#include "fuzz/fuzz_file.h"
#include "fuzz/fuzz_target.h"

namespace attend::tmx_fuzz {
namespace {

constexpr const char* kTmx =
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?><!DOCTYPE tmx [<!ENTITY a \"b\">]><!-- c -->"
    "<tmx version=\"1.4\"><header srclang=\"en\"/><body><tu><tuv xml:lang=\"en-US\"><seg>a &amp; "
    "<bpt i=\"1\">&lt;b></bpt>b<ept i='1'/> &#252;</seg></tuv><tuv lang=\"de\"><seg><![CDATA[<c>]]>"
    "</seg></tuv></tu></body></tmx>";

std::string utf16(std::string_view text) {
  std::string bytes = "\xff\xfe";
  for (const char c : text) bytes += {c, '\0'};
  return bytes;
}

std::vector<std::string> corpus() { return {kTmx, utf16(kTmx), "<tmx/>", ""}; }

std::vector<std::string> dictionary() {
  return {"<tu>",  "</tu>",      "<seg>",       "</seg>",   "<ph>",     "<![CDATA[",
          "]]>",   "<!--",       "-->",         "<?",       "?>",       "<!DOCTYPE",
          "&amp;", "&#x110000;", "xml:lang=\"", "\xfe\xff", "\xff\xfe", std::string("\0\xd8", 2)};
}

void use(std::string_view input) {
  static const FuzzFile file;
  file.write(input);
  try {
    ArchiveReader archive(file.path());
    while (archive.next())
      read_tmx(archive, [](const TranslationUnit& unit) {
        text_in(unit, "en");
        return true;
      });
  } catch (const DataError&) {
  }
}

const RegisteredFuzzTarget registered{{"tmx", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::tmx_fuzz
