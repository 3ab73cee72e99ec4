// What a template says, as it is read. Private to text/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "attend/text/chat_template/value.h"

namespace attend::chat_template {

// Where a variable is: levels of scopes outwards, and its place there.
struct Place {
  std::size_t levels = 0, slot = 0;
};

struct Expression;
struct NamedArgument;
using Expressions = std::vector<Expression>;

// Without initializers, which need the whole type of an expression.
struct Arguments {
  Expressions by_position;
  std::vector<NamedArgument> by_name;
  Expressions rows, dicts;  // *row, **dict: at most one each
};

// What follows a value: .name, [key], [first:last:step], (arguments), | filter, is test.
struct Link {
  enum class Type { member, item, slice, call, filter, test };
  Type type;
  std::string name = {};    // of a member, filter or test
  Arguments arguments;      // the key of an item; the three bounds of a slice
  bool is_negated = false;  // "is not"
};

struct Expression {
  enum class Type {
    constant,
    refused,      // what Jinja reads and this does not; `text` says what
    name,         // text
    name_member,  // text.member, as a target
    list,
    tuple,
    dict,        // children: key, value, key, value, ...
    chain,       // children[0], then the links
    negative,    // -children[0]
    positive,    // +children[0]
    negation,    // not children[0]
    any,         // children[0] or ...
    all,         // children[0] and ...
    choice,      // children[0] if children[1] else children[2]; the last one may be absent
    operations,  // children[0] operators[0] children[1] ..., from the left
    joined,      // children[0] ~ ...
    comparison   // children[0] operators[0] children[1] ..., each with its neighbor
  };
  Type type;
  int line = 1;
  std::string text = {}, member = {};
  Value value = {};
  Expressions children = {};
  std::vector<std::string> operators = {};
  std::vector<Link> links = {};
  Place place = {};
};

struct NamedArgument {
  std::string name;
  Expression value;
};

// How a variable of a scope gets its first value.
struct Load {
  enum class Type { given, looked_up, copied, none };
  Type type;
  std::string name = {};  // looked up in the values of the template
  Place from = {};        // copied from an outer scope
};

struct Scope {
  std::vector<Load> loads = {};  // of every slot
  bool is_kept = false;          // a macro that is defined within may need it later
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  enum class Type {
    text,         // text
    output,       // expressions
    condition,    // if expressions[i], then bodies[i]; one more body is for else
    loop,         // for target in expressions[0], with test expressions[1]; bodies: each, else
    assignment,   // target = expressions[0]
    block_value,  // target = bodies[0], through the filters of expressions[0]
    macro,        // text; parameters; bodies[0]
    call,         // expressions[0] is the call; parameters; bodies[0]
    generation,   // bodies[0]
    filter,       // bodies[0] through the filters of expressions[0]
    with,         // targets = expressions; bodies[0]
    scope,        // bodies[0]; the value of expressions[0] must be false
    leave,        // break
    next,         // continue
    refused,      // text says what
    failure       // text says why
  };
  Type type;
  int line = 1;
  std::string text = {};
  Expressions targets = {}, expressions = {};
  std::vector<Statements> bodies = {};
  // bodies[0] has the first; a loop also has those of its test and of bodies[1].
  Scope scope = {}, test_scope = {}, else_scope = {};
  Place place = {};                     // of a macro
  std::vector<std::string> names = {};  // parameters of a macro
  Expressions defaults = {};            // of the last ones
  std::vector<Place> places = {};       // of the parameters
  // Whether a macro reads these; where they are.
  bool has_caller = false, has_named = false, has_more = false;
  Place caller = {}, named = {}, more = {};
  bool is_recursive = false, has_loop = false, is_else = false;
  Place loop_place = {};
};

// Throws DataError "line 3: ...".
Statements read_template(std::string_view source);

// Finds the place of every variable, as Jinja's compiler does. Throws DataError.
Scope place_names(Statements& statements);

}  // namespace attend::chat_template
