// Texts with places for values: "%s" % value, "{}".format(value). Private to text/.
#pragma once

#include "attend/text/chat_template/run.h"

namespace attend::chat_template {

// text % value.
Value percent_formatted(Run& run, const Value& text, const Value& value);
// "%(name)s" with values by name.
Value percent_formatted(Run& run, const Value& text, const Given& given);
// text.format(...).
Value brace_formatted(Run& run, const Value& text, const Given& given);

}  // namespace attend::chat_template
