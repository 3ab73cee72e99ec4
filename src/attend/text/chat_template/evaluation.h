// Runs what a template says. Private to text/.
#pragma once

#include "attend/text/chat_template/parsing/syntax.h"
#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

// How statements ended: at their end, or by break or continue.
enum class Flow { end, leave, next };

Value evaluate(Run& run, const Expression& expression);
// value, and what the links of an expression make of it. caller: given to the last call by its name
// unless it is missing.
Value followed(Run& run, Value value, const std::vector<Link>& links, const Value& caller);
Value called(Run& run, const Value& function, const Given& given);
void assign(Run& run, const Expression& target, const Value& value);
Flow run_all(Run& run, const Statements& statements);
// What a macro writes.
Value macro_result(Run& run, const Macro& macro, const Given& given);
// What a recursive loop writes for these items.
Value loop_result(Run& run, const Loop& loop, const Given& given);

}  // namespace attend::chat_template
