// The rules of detokenizer.perl: each token decides on which side it gets a space.
#include <algorithm>
#include <map>
#include <vector>

#include "attend/core/strings/unicode.h"
#include "attend/text/moses/moses.h"
#include "attend/text/moses/moses_rules.h"

namespace attend {
namespace {

using Token = std::u32string;
using moses::is_alpha;

bool consists_of(const Token& token, std::u32string_view characters) {
  return token.find_first_not_of(characters) == Token::npos;
}

bool opens(const Token& token) {
  return std::all_of(token.begin(), token.end(), [](char32_t c) {
    return unicode::is_currency(c) ||
           std::u32string_view(U"([{\u00BF\u00A1").find(c) != std::u32string_view::npos;
  });
}

std::vector<Token> tokens_of(std::u32string_view text) {
  std::u32string plain = moses::replace(U" " + moses::single_spaces(text) + U" ", U" @-@ ", U"-");
  for (const auto& [escape, character] : moses::kUnescapes)
    plain = moses::replace(plain, escape, std::u32string(1, character));
  plain = moses::single_spaces(plain);
  std::vector<Token> tokens;
  for (std::size_t begin = 0; begin < plain.size();) {
    const std::size_t end = std::min(plain.find(U' ', begin), plain.size());
    tokens.push_back(plain.substr(begin, end - begin));
    begin = end + 1;
  }
  return tokens;
}

class Detokenizer {
 public:
  Detokenizer(std::vector<Token> tokens, MosesLanguage language)
      : tokens_(std::move(tokens)), language_(language) {}

  std::u32string text() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) add(i);
    return moses::single_spaces(text_);
  }

 private:
  void with_space(const Token& token, bool space_after = true) {
    if (space_) text_ += U' ';
    text_ += token;
    space_ = space_after;
  }
  void without_space(const Token& token) {
    text_ += token;
    space_ = true;
  }

  void add(std::size_t i) {
    const Token& token = tokens_[i];
    if (moses::is_cjk(token[0])) {
      if (i > 0 && moses::is_cjk(tokens_[i - 1].back())) return without_space(token);
      return with_space(token);
    }
    if (opens(token)) return with_space(token, /*space_after=*/false);
    if (consists_of(token, U",.?!:;\\%}])")) {
      if (language_ == MosesLanguage::fr && token.size() == 1 && consists_of(token, U"?!:;\\%"))
        text_ += U' ';
      return without_space(token);
    }
    if (language_ == MosesLanguage::en && i > 0 && token.size() > 1 && token[0] == U'\'' &&
        is_alpha(token[1]))
      return without_space(token);
    if (language_ == MosesLanguage::fr && i + 1 < tokens_.size() && is_elision(token) &&
        is_alpha(tokens_[i + 1][0]))
      return with_space(token, /*space_after=*/false);
    if (consists_of(token, U"'\"\u201E\u201C`")) return add_quote(i);
    with_space(token);
  }

  // l', qu'
  static bool is_elision(const Token& token) {
    return token.size() > 1 && token.back() == U'\'' && is_alpha(token[token.size() - 2]);
  }

  // Every second quote of a kind closes.
  void add_quote(std::size_t i) {
    const Token& token = tokens_[i];
    int& seen = quotes_[consists_of(token, U"\u201E\u201C\u201D") ? Token(U"\"") : token];
    const bool possessive =
        language_ == MosesLanguage::en && token == U"'" && i > 0 && tokens_[i - 1].back() == U's';
    if (seen % 2 != 0) {
      ++seen;
      return without_space(token);
    }
    if (possessive) return without_space(token);  // the Jones' house
    ++seen;
    with_space(token, /*space_after=*/false);
  }

  std::vector<Token> tokens_;
  MosesLanguage language_;
  std::u32string text_;
  bool space_ = true;
  std::map<Token, int> quotes_;
};

}  // namespace

std::string moses_detokenize(std::string_view tokens, MosesLanguage language) {
  return unicode::encode(Detokenizer(tokens_of(unicode::decode(tokens)), language).text());
}

}  // namespace attend
