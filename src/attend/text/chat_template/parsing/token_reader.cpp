#include <fmt/format.h>

#include <algorithm>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/parsing/parser.h"

namespace attend::chat_template {
namespace {

constexpr int kMostNestedLevels = 120;

}  // namespace

const Token& TokenReader::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

Token TokenReader::next() {
  Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

// A string is never a word of the language.
bool TokenReader::is(std::string_view text, std::size_t ahead) const {
  const Token& token = peek(ahead);
  return (token.type == TokenType::symbol || token.type == TokenType::name) && token.text == text;
}

bool TokenReader::accept(std::string_view text) {
  if (!is(text)) return false;
  next();
  return true;
}

void TokenReader::expect(std::string_view text) {
  if (!accept(text))
    fail(fmt::format("expected {}, got {}", text,
                     is(TokenType::end) ? "the end" : quote(peek().text)));
}

std::string TokenReader::expect_name() {
  if (!is(TokenType::name)) fail(fmt::format("expected a name, got {}", quote(peek().text)));
  return next().text;
}

void TokenReader::fail(std::string_view reason) const { fail_at(line(), reason); }

TokenReader::Level::Level(TokenReader& reader) : reader_(reader) {
  if (++reader.levels_ > kMostNestedLevels) reader.fail("it is nested too deeply");
}

}  // namespace attend::chat_template
