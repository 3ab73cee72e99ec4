// Markdown against hostile bytes: what is translated into itself says the same, whatever it is.
#include <cstdlib>

#include "attend/core/strings/unicode.h"
#include "attend/documents/markdown/markdown_document.h"
#include "fuzz/fuzz_target.h"
#include "fuzz/same_translation.h"

namespace attend::markdown_fuzz {
namespace {

std::vector<std::string> corpus() {
  return {
      "# a *b* #\n\nc **d _e_**  \nf\\\ng `h` <http://i>\n\n> - [ ] j\n>   1. k\n>\n> l\n",
      "---\na: b\n---\n| a | b\\|c |\n|---|:-:|\n| d | `e` |\n\nf[^1] ![g](h \"i\")\n\n[^1]: j\n",
      "[a] [b][a] [c](<d> 'e')\n\n[a]: /a\n\nf\n===\n```\ng\n```\n    h\n<div>\ni\n</div>\n",
      "a <b>c</b> &amp; &#35; \\* ~~d~~ www.e.f\n***\n+ g\n\n  h\n"};
}

std::vector<std::string> dictionary() {
  return {"*",   "**",   "_",   "`",    "``", "```\n", "~~~\n", "[",    "]",    "](",      "![",
          "(",   ")",    "<",   ">",    "|",  "---",   "===",   "\n",   "\n\n", "  \n",    "\\\n",
          "> ",  "- ",   "1. ", "# ",   "\\", "&amp;", "<b>",   "</b>", "\t",   "    ",    "[^1]",
          "]: ", "<!--", "-->", "\r\n", "~~", "|-|",   "www.a", "\xff", "é",    "http://a"};
}

std::string joined_words(const MarkdownDocument& document) {
  std::string all;
  for (const SourceText& one : document.texts())
    for (const std::string_view word : unicode::split(one.text)) all += word;
  return all;
}

void use(std::string_view input) {
  if (input.empty()) return;
  const bool crosswise = (input.front() & 1) != 0;
  const MarkdownDocument document(input.substr(1));
  std::vector<TranslatedText> texts;
  for (const SourceText& one : document.texts())
    texts.push_back(same_translation(one.text, crosswise));
  const std::string written = document.translation(texts, 0);
  if (!crosswise && joined_words(MarkdownDocument(written)) != joined_words(document)) std::abort();
}

const RegisteredFuzzTarget registered{{"markdown", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::markdown_fuzz
