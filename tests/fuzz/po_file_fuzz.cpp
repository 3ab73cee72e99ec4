// Files of gettext against hostile bytes: one that is filled is read again, and then nothing is
// left to do.
#include <cstdlib>

#include "attend/error.h"
#include "documents/unchanged.h"
#include "fuzz/fuzz_target.h"

namespace attend::po_file_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      "rmsgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n\"Content-Type: text/plain; "
      "charset=CHARSET\\n\"\n"
      "\"Plural-Forms: nplurals=INTEGER; plural=EXPRESSION;\\n\"\n\n#: a.c\n#, c-format\n"
      "msgctxt \"m\"\nmsgid \"one\\t\\\"two\\\"\\n\"\nmsgstr \"\"\n\n#, fuzzy\n#| msgid "
      "\"x\"\nmsgid \"y\"\n"
      "msgstr \"z\"\n\nmsgid \"a\"\nmsgid_plural \"%d b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n\n#~ "
      "msgid \"o\"\n",
      "dmsgid \"\"\nmsgstr \"Plural-Forms: nplurals=3; plural=n%10==1 && n!=11 ? 0 : (n>1) ? 1 : "
      "2;\\n\"\n"
      "msgid \"a\"\r\nmsgid_plural \"b\"\r\nmsgstr[0] \"\"\r\n"};
}

std::vector<std::string> dictionary() {
  return {"msgid ", "msgstr ", "msgctxt ",  "msgid_plural ", "msgstr[0] ", "msgstr[1] ",
          "\"",     "\"\"\n",  "\\n",       "\\x41",         "\\101",      "#, fuzzy\n",
          "#| ",    "#~ ",     "nplurals=", "plural=",       "? 1 : 0",    "n%10",
          "&&",     "\r\n",    "\xff",      "charset=",      "Language:",  "aaaa ",
          "( "};
}

void use(std::string_view input) {
  if (input.empty()) return;
  const DocumentFileOptions options{.target = input.front() == 'r' ? "ru" : "de"};
  std::string filled;
  try {
    filled = unchanged("a.po", std::string(input.substr(1)), options);
  } catch (const DataError&) {
    return;
  }
  if (!read_document("a.po", filled, options)->texts().empty()) std::abort();
  if (unchanged("a.po", filled, options) != filled) std::abort();
}

const RegisteredFuzzTarget registered{{"po_file", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::po_file_fuzz
