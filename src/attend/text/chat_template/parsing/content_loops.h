// Which way a template reads the content of messages. Private to text/.
#pragma once

#include "attend/text/chat_template/parsing/syntax.h"

namespace attend::chat_template {

// Whether it goes through the parts of a content: "for part in message.content", also under another
// name that was set to the content, or in a macro with a parameter "content".
bool loops_over_content(const Statements& statements);

}  // namespace attend::chat_template
