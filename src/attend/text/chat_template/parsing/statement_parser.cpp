#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "attend/core/strings/quote.h"
#include "attend/text/chat_template/parsing/parser.h"

namespace attend::chat_template {
namespace {

using StatementType = Statement::Type;
using Words = std::initializer_list<std::string_view>;

class StatementReader {
 public:
  explicit StatementReader(TokenReader& reader) : reader_(reader) {}

  // Up to one of the words, which is not read; to the end of the template if there are none.
  Statements read(Words words) {
    const TokenReader::Level level(reader_);
    Statements all;
    for (;;) {
      if (reader_.is(TokenType::end)) {
        if (words.size() > 0) reader_.fail(fmt::format("expected {}", *(words.end() - 1)));
        return all;
      }
      const int line = reader_.line();
      if (reader_.is(TokenType::text)) {
        all.push_back({StatementType::text, line, reader_.next().text});
      } else if (reader_.accept("{{")) {
        all.push_back({StatementType::output, line});
        all.back().expressions.push_back(read_tuple(reader_, true));
        reader_.expect("}}");
      } else {
        reader_.expect("{%");
        const auto ends = [&](std::string_view word) { return reader_.is(word); };
        if (std::any_of(words.begin(), words.end(), ends)) return all;
        all.push_back(read_block());
        reader_.expect("%}");
      }
    }
  }

 private:
  Statement read_block() {
    const int line = reader_.line();
    const std::string word = reader_.expect_name();
    if (word == "if") return read_if(line);
    if (word == "for") return read_for(line);
    if (word == "set") return read_set(line);
    if (word == "macro") return read_macro(line);
    if (word == "call") return read_call(line);
    if (word == "filter") return read_filter_block(line);
    if (word == "with") return read_with(line);
    if (word == "print") return read_print(line);
    if (word == "break" || word == "continue") return read_leap(word, line);
    if (word == "generation") {  // marks what a model is trained on
      Statement statement{StatementType::generation, line};
      statement.bodies.push_back(read_function("endgeneration"));
      return statement;
    }
    if (word == "autoescape") {
      Statement statement{StatementType::scope, line};
      statement.expressions.push_back(read_expression(reader_));
      statement.bodies.push_back(read_body({"endautoescape"}));
      reader_.next();
      return statement;
    }
    return read_other(word, line);
  }

  // What needs other templates, or blocks that they fill.
  Statement read_other(const std::string& word, int line) {
    const bool has_files =
        word == "include" || word == "import" || word == "from" || word == "extends";
    if (!has_files && word != "block")
      reader_.fail(fmt::format("the block {} is not known", quote(word)));
    if (has_files) {
      while (!reader_.is("%}") && !reader_.is(TokenType::end)) reader_.next();
      return {StatementType::failure, line,
              fmt::format("line {}: {}: a chat template has no other templates", line, word)};
    }
    Statement statement{StatementType::refused, line, "the statement 'block'"};
    const std::string name = reader_.expect_name();
    while (reader_.accept("scoped") || reader_.accept("required")) {
    }
    read_body({"endblock"});
    reader_.next();
    reader_.accept(name);
    return statement;
  }

  // After its head, up to one of the words, which is not read. A colon may end the head.
  Statements read_body(Words words) {
    reader_.accept(":");
    reader_.expect("%}");
    return read(words);
  }

  // The body of a macro: no loop around it can be left from there.
  Statements read_function(std::string_view end) {
    const int loops = std::exchange(loops_, 0);
    Statements body = read_body({end});
    reader_.next();
    loops_ = loops;
    return body;
  }

  Statement read_if(int line) {
    Statement statement{StatementType::condition, line};
    do {
      statement.expressions.push_back(read_tuple(reader_, false));
      statement.bodies.push_back(read_body({"elif", "else", "endif"}));
    } while (reader_.accept("elif"));
    if (reader_.accept("else")) statement.bodies.push_back(read_body({"endif"}));
    reader_.expect("endif");
    return statement;
  }

  Statement read_for(int line) {
    Statement statement{StatementType::loop, line};
    statement.targets.push_back(read_target(reader_, false, "in"));
    reader_.expect("in");
    statement.expressions.push_back(read_tuple(reader_, false, "recursive"));
    if (reader_.accept("if")) statement.expressions.push_back(read_expression(reader_));
    statement.is_recursive = reader_.accept("recursive");
    ++loops_;
    statement.bodies.push_back(read_body({"else", "endfor"}));
    --loops_;
    if (reader_.accept("else")) {
      const int loops = statement.is_recursive ? std::exchange(loops_, 0) : loops_;
      statement.is_else = true;
      statement.bodies.push_back(read_body({"endfor"}));
      loops_ = loops;
    }
    reader_.expect("endfor");
    return statement;
  }

  // {% set x = value %}, {% set space.x = value %}, {% set x | filter %}text{% endset %}
  Statement read_set(int line) {
    Statement statement{StatementType::assignment, line};
    statement.targets.push_back(read_target(reader_, true));
    if (reader_.accept("=")) {
      statement.expressions.push_back(read_tuple(reader_, true));
      return statement;
    }
    statement.type = StatementType::block_value;
    statement.expressions.push_back(read_filters(reader_, false));
    statement.bodies.push_back(read_body({"endset"}));
    reader_.next();
    return statement;
  }

  std::string read_variable() {
    const Expression target = read_primary(reader_);
    if (target.type != Expression::Type::name) reader_.fail("expected a name to assign to");
    return target.text;
  }

  // After "(".
  void read_parameters(Statement& statement) {
    while (!reader_.accept(")")) {
      if (!statement.names.empty()) reader_.expect(",");
      std::string name = read_variable();
      if (std::count(statement.names.begin(), statement.names.end(), name) > 0)
        reader_.fail(fmt::format("the parameter {} is given twice", quote(name)));
      statement.names.push_back(std::move(name));
      if (reader_.accept("=")) {
        statement.defaults.push_back(read_expression(reader_));
      } else if (!statement.defaults.empty()) {
        reader_.fail("a parameter without a default value after one with");
      }
    }
  }

  Statement read_macro(int line) {
    Statement statement{StatementType::macro, line, read_variable()};
    reader_.expect("(");
    read_parameters(statement);
    statement.bodies.push_back(read_function("endmacro"));
    return statement;
  }

  Statement read_call(int line) {
    Statement statement{StatementType::call, line};
    if (reader_.accept("(")) read_parameters(statement);
    Expression call = read_expression(reader_);
    if (call.type != Expression::Type::chain || call.links.back().type != Link::Type::call)
      reader_.fail("expected a call");
    statement.expressions.push_back(std::move(call));
    statement.bodies.push_back(read_function("endcall"));
    return statement;
  }

  Statement read_filter_block(int line) {
    Statement statement{StatementType::filter, line};
    statement.expressions.push_back(read_filters(reader_, true));
    statement.bodies.push_back(read_body({"endfilter"}));
    reader_.next();
    return statement;
  }

  Statement read_with(int line) {
    Statement statement{StatementType::with, line};
    while (!reader_.is("%}")) {
      if (!statement.targets.empty()) reader_.expect(",");
      statement.targets.push_back(read_target(reader_, false));
      reader_.expect("=");
      statement.expressions.push_back(read_expression(reader_));
    }
    statement.bodies.push_back(read_body({"endwith"}));
    reader_.next();
    return statement;
  }

  Statement read_print(int line) {
    Statement statement{StatementType::output, line};
    while (!reader_.is("%}")) {
      if (!statement.expressions.empty()) reader_.expect(",");
      statement.expressions.push_back(read_expression(reader_));
    }
    return statement;
  }

  Statement read_leap(const std::string& word, int line) {
    if (loops_ == 0) fail_at(line, fmt::format("{} outside of a loop", word));
    return {word == "break" ? StatementType::leave : StatementType::next, line};
  }

  TokenReader& reader_;
  int loops_ = 0;  // around the statement that is read
};

}  // namespace

Statements read_template(std::string_view source) {
  TokenReader reader(tokens_of(source));
  return StatementReader(reader).read({});
}

}  // namespace attend::chat_template
