// Reads the tokens of a template one after another. Private to text/.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "attend/text/chat_template/parsing/lexer.h"
#include "attend/text/chat_template/parsing/syntax.h"

namespace attend::chat_template {

class TokenReader {
 public:
  explicit TokenReader(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  const Token& peek(std::size_t ahead = 0) const;
  Token next();
  int line() const { return peek().line; }
  bool is(std::string_view text, std::size_t ahead = 0) const;
  bool is(TokenType type) const { return peek().type == type; }
  // Whether it was there, and is read.
  bool accept(std::string_view text);
  // Throw DataError with the line.
  void expect(std::string_view text);
  std::string expect_name();
  [[noreturn]] void fail(std::string_view reason) const;

  // Levels of what is read within something else.
  class Level {
   public:
    explicit Level(TokenReader& reader);
    ~Level() { --reader_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    TokenReader& reader_;
  };

 private:
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int levels_ = 0;
};

// These throw DataError with the line.
Expression read_expression(TokenReader& reader);
// Without "if" after it, as in {% for x in list if x.y %}.
Expression read_choice_free(TokenReader& reader);
// Several with commas between them are a tuple. `end`: a word that ends it, too.
Expression read_tuple(TokenReader& reader, bool with_choice, std::string_view end = {});
// What can be assigned to: a name, a tuple of names, with_member: the member of a namespace.
// `end`: a word that ends it.
Expression read_target(TokenReader& reader, bool with_member, std::string_view end = {});
// A literal, a name, or what is in brackets.
Expression read_primary(TokenReader& reader, bool with_member = false);
// A number; strings, which are one if they stand beside each other.
Expression read_number(TokenReader& reader);
Expression read_strings(TokenReader& reader);
Expression constant_expression(TokenReader& reader, Value value);
Expression refused_expression(TokenReader& reader, std::string what);
// The filters after "|", or the name of the first one if `at_name`. The chain has no value of its
// own.
Expression read_filters(TokenReader& reader, bool at_name);

}  // namespace attend::chat_template
