// The Moses tools against hostile bytes, in all their languages: one line of tokens with single
// spaces between them, and text, whatever went in.
#include <stdexcept>

#include "attend/core/strings/utf8.h"
#include "attend/text/moses/moses.h"
#include "fuzz/fuzz_target.h"

namespace attend::moses_fuzz {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

void use(const std::string& text, MosesLanguage language) {
  const std::string normal = moses_normalize(text, language);
  require(is_utf8(normal), "normalized text that is not UTF-8");
  for (const std::string& input : {text, normal}) {
    const std::string tokens = moses_tokenize(input, language);
    require(is_utf8(tokens), "tokens that are not UTF-8");
    require(tokens.find("  ") == tokens.npos, "two spaces between tokens");
    require(tokens.empty() || (tokens.front() != ' ' && tokens.back() != ' '),
            "a space at an end of the tokens");
    require(moses_tokenize(input, language) == tokens, "other tokens the second time");
    const std::string joined = moses_detokenize(tokens, language);
    require(is_utf8(joined), "detokenized text that is not UTF-8");
  }
  require(is_utf8(moses_detokenize(text, language)), "detokenized text that is not UTF-8");
}

// The first byte chooses the language.
void read(const std::string& bytes) {
  const auto names = enum_names(MosesLanguage{});
  const std::size_t language =
      bytes.empty() ? 0 : static_cast<unsigned char>(bytes[0]) % names.size();
  use(bytes.substr(bytes.empty() ? 0 : 1), static_cast<MosesLanguage>(language));
}

std::vector<std::string> corpus() {
  return {"0McDonald's costs $5, doesn't it? \"Yes,\" said Mr. Smith... (at 5,300.50)",
          "1Der \xe2\x80\x9e"
          "Hund\xe2\x80\x9c ist z.B. 1.000 Euro wert \xe2\x80\x93 oder?",
          "2L'homme n'a qu'\xc3\xa0 dire : \xc2\xab oui \xc2\xbb, 5 000 fois !",
          "0a & b | c < d > [e] 'f' &amp;amp; &#39; &apos;",
          "0http://a.b/c?d=e&f No. 7 U.S.A. e.g. etc. end.",
          "1\xe2\x80\x99\xe2\x80\x98\xe2\x80\x9c\xe2\x80\x9d\xe2\x80\xa6\xc2\xb4`\xe2\x80\x94",
          "2... .... . .. ,.,., '' \"\" -- - \xc2\xa0 \xe2\x80\x8b",
          "0\xff\xfe\x80 \xed\xa0\x80",
          "0"};
}

std::vector<std::string> dictionary() {
  return {"'",
          "\"",
          "&apos;",
          "&quot;",
          "&amp;",
          "&#124;",
          "...",
          ".",
          ",",
          " ",
          "  ",
          "\t",
          "\xc2\xa0",
          "-",
          "\xe2\x80\x93",
          "\xe2\x80\x9e",
          "\xe2\x80\x9c",
          "'s ",
          "n't",
          "l'",
          "Mr. ",
          "No. 1",
          "5,300",
          "1.5",
          "@-@",
          "\xff",
          "\xcc\x81",
          "\xf0\x9f\x98\x80",
          "\xe4\xb8\xad",
          "$",
          "%",
          "(",
          ")",
          "[",
          "|"};
}

void use(std::string_view input) { read(std::string(input)); }

const RegisteredFuzzTarget registered{{"moses", corpus, dictionary, use}};

}  // namespace
}  // namespace attend::moses_fuzz
